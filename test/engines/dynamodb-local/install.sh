#!/usr/bin/env bash
# Puts DynamoDB Local into test/engines/bin/dynamodb-local/ (jars and native libraries), at the version of pom.xml.
set -euo pipefail
cd "$(dirname "$0")"
folder=../bin/dynamodb-local
stamp=$folder/pom.installed
version=$(sed -n '/DynamoDBLocal</,/version/s|.*<version>\(.*\)</version>.*|\1|p' pom.xml)

if cmp -s pom.xml "$stamp"; then
  echo "dynamodb-local: $version is there"
  exit 0
fi
java=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1) || true
if [ -z "$java" ] || [ "$java" -lt 17 ]; then
  echo "dynamodb-local needs Java 17 or later (Debian: apt-get install openjdk-17-jre-headless); found: ${java:-none}" >&2
  exit 1
fi
command -v mvn >/dev/null || { echo "dynamodb-local needs Maven (Debian: apt-get install maven)" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
echo "dynamodb-local: fetching $version"
mvn --batch-mode --quiet dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$PWD/$folder" >&2
cp pom.xml "$stamp"
echo "dynamodb-local: installed"
