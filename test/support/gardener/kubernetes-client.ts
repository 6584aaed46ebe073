// The API server as a client of Gardener uses it: JSON over HTTPS, with the rights of an administrator.
import { Agent, request } from 'node:https';
import type { KubernetesEngine } from '../../engines/kubernetes/start.ts';

// biome-ignore lint/suspicious/noExplicitAny: objects of the API, which each test looks into
export type ApiObject = any;

type ApiAnswer = { readonly status: number; readonly body: ApiObject };

export type ApiClient = {
  ask(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer>;
  end(): void;
};

/** Opens a client with connections of its own. */
export function apiClient({ url, ca }: Pick<KubernetesEngine, 'url' | 'ca'>): ApiClient {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 20 });
  const ask: ApiClient['ask'] = (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { authorization: 'Bearer admin-token', 'content-type': contentType, accept: 'application/json' };
      const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
        });
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { ask, end: () => agent.destroy() };
}
