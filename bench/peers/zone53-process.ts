// zone53 in a process of its own, measured as its peers are and started as the command is (cli/main.ts): it keeps what
// Node compiles, and sets V8's flags before anything else is loaded.
//
//   node bench/peers/zone53-process.ts CONTEXT LEDGER TABLE [ingresses]
//
// CONTEXT is one of $KUBECONFIG; LEDGER is a URL of DynamoDB, or a folder.
import { keepCompiled } from '../../cli/compile-cache.ts';
import { compileOnce } from '../../cli/one-compiler.ts';
import { keepHeapSmall, YOUNG_MIB } from '../../lib/adapters/system/small-heap.ts';

compileOnce();
keepHeapSmall(YOUNG_MIB);
keepCompiled();
const { runPeer } = await import('./zone53-pipeline.ts');
const [contextName = '', ledger = '', table = '', kind = ''] = process.argv.slice(2);
await runPeer({ contextName, ledger, table, kind });
