import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import type { Hint } from '../../ports/queues.ts';
import { sourcesOn } from '../../sources/source.ts';
import { byRole } from './hints-by-role.ts';

const sources = sourcesOn({ services: DEFAULT_SETTINGS, gatewayRoutes: DEFAULT_SETTINGS });
const any = (kind: string, namespace: string | null): Hint => ({ kind, namespace, name: null });

describe('byRole()', () => {
  test.each(['EndpointSlice', 'Pod'])('compares only Services of the namespace of a new %s without a name', (kind) => {
    const hints = [
      { ...any(kind, 'a'), correlationId: 'of-the-event' },
      any(kind, 'a'),
      { kind, namespace: 'b', name: 'x' },
    ];
    expect(byRole({ sources }, hints)).toMatchObject({
      own: [{ ...any('Service', 'a') }],
      related: [{ hint: hints[2] }],
    });
  });

  test('compares the objects of all namespaces where those may ask for the related object', () => {
    expect(byRole({ sources }, [any('Gateway', 'a')]).own).toContainEqual(any('HTTPRoute', null));
    expect(byRole({ sources }, [any('Pod', null), any('Pod', 'a')]).own).toEqual([any('Service', null)]);
    expect(byRole({ sources }, [any('Node', ''), any('Pod', 'a')]).own).toEqual([any('Service', null)]);
  });

  test('compares nothing twice', () => {
    for (const own of [any('Service', 'a'), any('Service', null)])
      expect(byRole({ sources }, [own, any('Pod', 'a')]).own).toEqual([own]);
    const begun = { ...any('Service', null), cursor: '{}' };
    expect(byRole({ sources }, [begun, any('Pod', 'a')]).own).toEqual([begun, any('Service', 'a')]);
  });
});
