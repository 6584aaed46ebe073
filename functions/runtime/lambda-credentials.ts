// Replaces the SDK's credential chain in the bundles of the functions (infra/build-functions.ts): Lambda passes the
// credentials of the function's role in environment variables.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
