// Builds the Helm chart of what a cluster needs: CRDs, RBAC and the admission webhook. Its templates choose by `values`
// among rules that are computed here by the same functions as those of `manifests-for-cluster`. The CRDs are templates,
// since Helm never upgrades those of its folder `crds`; `helm.sh/resource-policy: keep` lets `helm uninstall` leave
// them, and with them all objects (Helm, "Custom Resource Definitions" and "Tell Helm Not To Uninstall a Resource";
// last verified 2026-11-29).
import { stringify } from 'yaml';
import { parseConfigValue } from '../../lib/adapters/config/config-schema.ts';
import { GROUPS_WITHOUT_CRD, type Kind } from '../../lib/objects/kind.ts';
import { ROUTE_KINDS, SERVICE_TYPES, type SourceKey } from '../../lib/objects/source-settings.ts';
import { BUSY, rbacRules, sourcesWebhook } from '../../lib/sources/cluster-needs.ts';
import { PRESETS } from '../../lib/sources/external-dns/custom/presets.ts';
import { kindsRead, sourcesOn } from '../../lib/sources/source.ts';
import { GROUP, type KubernetesObject, parseObjects } from './cluster-manifests.ts';

/** The files of `crds/` that the chart is made of. */
export type ShippedFiles = {
  readonly crds: readonly string[];
  readonly rbac: string;
  readonly webhook: string;
};

/** A source, as the templates choose its kinds. */
type Choice = {
  /** The setting that decides which kinds are read; null: none does. */
  readonly field: string | null;
  /** The values of the setting if it is absent. */
  readonly defaults: readonly string[];
  /** By value: the kinds that are read. Without a field: under `''`. */
  readonly kinds: Readonly<Record<string, readonly Kind[]>>;
};

/** The files of the chart, by their path below the chart's folder. */
export function helmChart(version: string, files: ShippedFiles): ReadonlyMap<string, string> {
  const [configuration] = parseObjects(files.webhook);
  if (configuration === undefined) throw new Error('the example of a webhook configuration is empty');
  return new Map([
    ['Chart.yaml', yaml(chartOf(version))],
    ['values.yaml', VALUES],
    ['values.schema.json', `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    ['needs.json', `${JSON.stringify(needs(), null, 1)}\n`],
    ['templates/_kinds.tpl', KINDS_TEMPLATE],
    ['templates/crds.yaml', files.crds.flatMap((text) => parseObjects(text).map(keptCrd)).join('---\n')],
    ['templates/rbac.yaml', parseObjects(files.rbac).map(roleTemplate).filter(isThere).join('---\n')],
    ['templates/webhook.yaml', webhookTemplate(configuration)],
  ]);
}

function chartOf(version: string) {
  return {
    apiVersion: 'v2',
    name: 'zone53-cluster',
    description:
      'What a cluster needs for zone53: CRDs, RBAC and the admission webhook. Nothing of it runs in the cluster',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
  };
}

const VALUES = `# The kinds that zone53 reads besides Zones and Records: the key "sources" of zone53.yaml, such as { services: {} }.
sources: {}
# The endpoint of the deployed stack, by which the cluster tells zone53 of each change at once. Without a URL there is
# no webhook, and zone53 polls.
webhook:
  # https://…/, as in the stack's outputs; with clusters in zone53.yaml https://…/clusters/ID/.
  url: ""
  # PEM of a private authority behind the URL's certificate.
  caBundle: ""
  # The sender's secret; with clusters that of the cluster (docs/fleet.md).
  secret: ""
# Who zone53 is at the API server.
subject:
  kind: Group
  name: zone53
  # Of a ServiceAccount.
  namespace: ""
`;

/** Which kinds each source reads, and the rules of each kind. */
function needs(): object {
  const sources: Readonly<Record<SourceKey, Choice>> = {
    dnsEndpoints: always({ dnsEndpoints: {} }),
    ingresses: always({ ingresses: {} }),
    services: by('types', SERVICE_TYPES, SERVICE_TYPES, (type) => ({ services: { types: [type] } })),
    gatewayRoutes: by('kinds', ROUTE_KINDS, ROUTE_KINDS, (kind) => ({ gatewayRoutes: { kinds: [kind] } })),
    serviceDiscovery: by('pods', ['none'], ['none', 'verified'], (pods) => ({
      serviceDiscovery: { zone: 'cluster.example.', pods },
    })),
  };
  const all = Object.values(sources).flatMap(({ kinds }) => Object.values(kinds).flat());
  const kinds = all.map((kind) => [idOf(kind), { rbac: rbacRules([kind]), webhook: toldOf(kind) }] as const);
  return {
    sources: mapValues(sources, nameKinds),
    kinds: Object.fromEntries(kinds),
    presets: mapValues(PRESETS, served),
  };
}

type ServedRow = { readonly group: string; readonly resource: string; readonly related?: ServedRow };

/** The resources that a preset of `sources.custom` reads. */
function served({ group, resource, related }: ServedRow): ServedRow {
  return { group, resource, ...(related === undefined ? {} : { related: served(related) }) };
}

const nameKinds = ({ kinds, ...choice }: Choice) => ({
  ...choice,
  kinds: mapValues(kinds, (some) => some.map(idOf)),
});

/** Two sources may read one kind, and only one of them write its status. */
function idOf({ kind, status }: Kind): string {
  return `${kind} ${status}`;
}

/** The rules by which the webhook tells of a kind. */
function toldOf(kind: Kind): readonly object[] {
  const [webhook] = sourcesWebhook([kind], {}) as readonly { readonly rules: readonly object[] }[];
  return webhook?.rules ?? [];
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));
}

function always(sources: object): Choice {
  return { field: null, defaults: [''], kinds: { '': kindsOf(sources) } };
}

function by(
  field: string,
  defaults: readonly string[],
  values: readonly string[],
  sourcesWith: (value: string) => object,
): Choice {
  return { field, defaults, kinds: Object.fromEntries(values.map((value) => [value, kindsOf(sourcesWith(value))])) };
}

/** The kinds that are read with these sources, as `zone53.yaml` has them, besides Zones and Records. */
function kindsOf(sources: object): readonly Kind[] {
  const parsed = parseConfigValue({ sources });
  if (!parsed.ok) throw new Error(`the chart cannot have ${JSON.stringify(sources)}`);
  return kindsRead(sourcesOn(parsed.config.sources)).filter(({ status }) => status !== 'subresource');
}

/** A CRD that `helm upgrade` changes and `helm uninstall` leaves. */
function keptCrd(crd: KubernetesObject): string {
  const annotations = { ...(crd.metadata as { annotations?: object }).annotations, 'helm.sh/resource-policy': 'keep' };
  return verbatim(yaml({ ...crd, metadata: { ...crd.metadata, annotations } }));
}

/** Text that the template engine leaves as it is: each `{{` is printed by an action. */
function verbatim(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/** A role of zone53 with the rules of the kinds, or its binding to the subject. Others' are left out. */
function roleTemplate({ apiVersion, kind, metadata, rules, roleRef }: KubernetesObject): string | null {
  if (metadata.name !== GROUP) return null;
  if (kind === 'ClusterRole') return `${yaml({ apiVersion, kind, metadata, rules })}${RULES_TEMPLATE}`;
  return `${yaml({ apiVersion, kind, metadata, roleRef })}subjects:\n${SUBJECT_TEMPLATE}`;
}

/** Texts as the arguments of a template function. */
function quotedList(texts: Iterable<string>): string {
  return [...texts].map((text) => JSON.stringify(text)).join(' ');
}

const isThere = <T>(value: T | null): value is T => value !== null;

const SUBJECT_TEMPLATE = `{{- with .Values.subject }}
  - kind: {{ .kind }}
    name: {{ .name | quote }}
    {{- if eq .kind "ServiceAccount" }}
    apiGroup: ""
    namespace: {{ required "subject.namespace: write the namespace of the ServiceAccount" .namespace | quote }}
    {{- else }}
    apiGroup: rbac.authorization.k8s.io
    {{- end }}
{{- end }}
`;

/** The rules of the chosen kinds, behind those that every cluster needs. */
const RULES_TEMPLATE = `{{- $needs := .Files.Get "needs.json" | fromJson }}
{{- range include "zone53.kinds" . | fromJsonArray }}
{{- with (get $needs.kinds .).rbac }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
{{- range include "zone53.custom" . | fromJsonArray }}
  - apiGroups: [{{ .group | quote }}]
    resources: [{{ .resource | quote }}]
    verbs: [get, list, watch]
{{- if and (contains "." .group) (not (has .group (list ${quotedList(GROUPS_WITHOUT_CRD)}))) }}
  - apiGroups: [apiextensions.k8s.io]
    resources: [customresourcedefinitions]
    verbs: [get]
    resourceNames: [{{ printf "%s.%s" .resource .group | quote }}]
{{- end }}
{{- end }}
`;

/**
 * What `sources` chooses: the kinds, as a JSON list, and the namespaces of their objects. Fails for a source or a value
 * that zone53 has not.
 */
const KINDS_TEMPLATE = `{{- define "zone53.kinds" -}}
{{- $needs := .Files.Get "needs.json" | fromJson -}}
{{- $chosen := dict -}}
{{- range $key, $given := .Values.sources -}}
{{- if not (has $key (list "custom" "defaults")) -}}
{{- if not (hasKey $needs.sources $key) -}}
{{- fail (printf "sources.%s: zone53 has no such source; write one of %s, custom" $key (keys $needs.sources | sortAlpha | join ", ")) -}}
{{- end -}}
{{- $source := get $needs.sources $key -}}
{{- $values := $source.defaults -}}
{{- if and $source.field (kindIs "map" $given) (hasKey $given $source.field) -}}
{{- $written := get $given $source.field -}}
{{- $values = ternary $written (list $written) (kindIs "slice" $written) -}}
{{- end -}}
{{- range $values -}}
{{- if not (hasKey $source.kinds .) -}}
{{- fail (printf "sources.%s.%s: %v is none of %s" $key $source.field . (keys $source.kinds | sortAlpha | join ", ")) -}}
{{- end -}}
{{- range get $source.kinds . -}}{{- $_ := set $chosen . true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- keys $chosen | sortAlpha | toJson -}}
{{- end -}}
{{- define "zone53.custom" -}}
{{- $needs := .Files.Get "needs.json" | fromJson -}}
{{- $read := list -}}
{{- range $index, $row := .Values.sources.custom -}}
{{- with $row.preset -}}
{{- if not (hasKey $needs.presets .) -}}
{{- fail (printf "sources.custom[%d].preset: %v is none of %s" $index . (keys $needs.presets | sortAlpha | join ", ")) -}}
{{- end -}}
{{- $row = mergeOverwrite (deepCopy (get $needs.presets .)) $row -}}
{{- end -}}
{{- $served := list $row -}}
{{- if kindIs "map" $row.related -}}{{- $served = list $row $row.related -}}{{- end -}}
{{- range $served -}}
{{- $resource := required (printf "sources.custom[%d].resource: it is required" $index) .resource -}}
{{- $group := default "" .group -}}
{{- if and (eq $group "") (eq $resource "secrets") -}}
{{- fail (printf "sources.custom[%d].resource: Secrets are never read by a source" $index) -}}
{{- end -}}
{{- $read = append $read (dict "group" $group "resource" $resource) -}}
{{- end -}}
{{- end -}}
{{- $read | uniq | toJson -}}
{{- end -}}
{{- define "zone53.namespaces" -}}
{{- $found := dict -}}
{{- $all := empty .Values.sources -}}
{{- range $key, $given := .Values.sources -}}
{{- range ternary (list "namespaces" "gatewayNamespaces") (list "namespaces") (eq $key "gatewayRoutes") -}}
{{- if and (kindIs "map" $given) (hasKey $given .) -}}
{{- range get $given . -}}{{- $_ := set $found . true -}}{{- end -}}
{{- else -}}{{- $all = true -}}{{- end -}}
{{- end -}}
{{- end -}}
key: kubernetes.io/metadata.name
operator: {{ ternary "NotIn" "In" $all }}
values: {{ ternary (list "kube-system") (keys $found | sortAlpha) $all | toJson }}
{{- end -}}
`;

function webhookTemplate({ webhooks, ...configuration }: KubernetesObject): string {
  const [own] = (webhooks ?? []) as readonly Record<string, unknown>[];
  const [sources] = sourcesWebhook(kindsOf({ ingresses: {} }), {}) as readonly Record<string, unknown>[];
  if (own === undefined || sources === undefined) throw new Error('the example of a webhook configuration has none');
  const { clientConfig: _, ...ofOwn } = own;
  const { clientConfig: __, rules: ___, namespaceSelector: ____, ...ofSources } = sources;
  const webhookItem = (webhook: object) => verbatim(indented(yaml([webhook]), 2));
  return `{{- if .Values.webhook.url }}
{{- $needs := .Files.Get "needs.json" | fromJson }}
{{- $secret := required "webhook.secret: write the sender's secret; without it nobody takes the events" .Values.webhook.secret }}
${yaml(configuration)}webhooks:
${webhookItem(ofOwn)}    {{- include "zone53.client" . | nindent 4 }}
  {{- $kinds := include "zone53.kinds" . | fromJsonArray }}
  {{- $custom := include "zone53.custom" . | fromJsonArray }}
  {{- if or $kinds $custom }}
${webhookItem(ofSources)}    {{- include "zone53.client" . | nindent 4 }}
    namespaceSelector:
      matchExpressions:
        - {{- include "zone53.namespaces" . | nindent 10 }}
    rules:
      {{- range $kinds }}
      {{- with (get $needs.kinds .).webhook }}
{{ toYaml . | indent 6 }}
      {{- end }}
      {{- end }}
      {{- range $custom }}
      {{- if not (has .resource (list ${quotedList(BUSY.values())})) }}
      - apiGroups: [{{ .group | quote }}]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE, DELETE]
        resources: [{{ .resource | quote }}, {{ printf "%s/status" .resource | quote }}]
        scope: "*"
      {{- end }}
      {{- end }}
  {{- end }}
{{- end }}
{{- define "zone53.client" -}}
clientConfig:
  url: {{ printf "%s/admission/%s" (trimSuffix "/" .Values.webhook.url) (urlquery .Values.webhook.secret | replace "+" "%20") | quote }}
  {{- with .Values.webhook.caBundle }}
  caBundle: {{ b64enc . | quote }}
  {{- end }}
{{- end -}}
`;
}

/** The schema by which Helm checks `values`: a key that the chart does not have is an error. */
function valuesSchema(): object {
  const text = { type: 'string' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: {
      global: { type: 'object' },
      sources: { type: 'object' },
      webhook: {
        type: 'object',
        additionalProperties: false,
        properties: { url: { type: 'string', pattern: '^(https://[^?#@]+)?$' }, caBundle: text, secret: text },
      },
      subject: {
        type: 'object',
        additionalProperties: false,
        required: ['kind', 'name'],
        properties: {
          kind: { enum: ['Group', 'User', 'ServiceAccount'] },
          name: { type: 'string', minLength: 1 },
          namespace: text,
        },
      },
    },
  };
}

function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

function indented(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
}
