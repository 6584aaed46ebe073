#!/usr/bin/env bash
# From an empty project to a name that dig answers. Start this first, in another terminal:
#   npx zone53 local -f examples/intents/zone.yaml --intents-port 5390 --state .zone53/intents
set -euo pipefail
api=${API:-http://127.0.0.1:5390}/v2
say() { curl --silent --show-error --fail-with-body "$@"; echo; }

# 1. A DNS provider of the project.
say "$api/projects/shop/dns-update-records" --json '{
  "metadata": { "name": "public", "description": "our names on the Internet" },
  "spec": { "provider": "aws", "external-dns-parameters": { "domain-filter": "shop.example.org" } }
}'

# 2. The logical cloud main uses it for its services.
say "$api/projects/shop/logical-clouds/main/kv-pairs" --json '{
  "metadata": { "name": "dns-update-record-list" },
  "spec": { "kv": [{ "key1": "public" }] }
}'

# 3. An app with a service in two clusters.
say "$api/projects/shop/apps/store/instantiate" --json '{
  "version": "v1", "profile": "production", "logicalCloud": "main",
  "services": [{
    "name": "www", "dnsName": "www.shop.example.org", "ttl": 60,
    "clusters": [
      { "provider": "edge", "cluster": "one", "publicAddresses": ["192.0.2.10"] },
      { "provider": "edge", "cluster": "two", "publicAddresses": ["192.0.2.20"] }
    ]
  }]
}'

# 4. Its status, and the answer that dig gets.
sleep 2
say "$api/projects/shop/apps/store/status"
dig +short @127.0.0.1 -p "${DNS_PORT:-5300}" www.shop.example.org

# 5. Terminate the app: its names are deleted again.
say "$api/projects/shop/apps/store/terminate" --request POST
