import { type PsaProvider, psaCredentialSets } from '../../../shared/api/psa.ts'

export const psaProviderNames: Record<PsaProvider, string> = {
  connectwise: 'ConnectWise',
  autotask: 'Autotask',
  servicenow: 'ServiceNow',
  freshservice: 'Freshservice',
  zendesk: 'Zendesk',
  jira: 'Jira',
}

interface Credential {
  label: string
  isSecret: boolean
}

const credentials: Record<string, Credential> = {
  companyId: { label: 'Company ID', isSecret: false },
  publicKey: { label: 'Public key', isSecret: false },
  privateKey: { label: 'Private key', isSecret: true },
  username: { label: 'User', isSecret: false },
  password: { label: 'Password', isSecret: true },
  secret: { label: 'Secret', isSecret: true },
  integrationCode: { label: 'Integration code', isSecret: true },
  email: { label: 'Account email', isSecret: false },
  apiKey: { label: 'API key', isSecret: true },
  apiToken: { label: 'API token', isSecret: true },
  personalAccessToken: { label: 'Personal access token', isSecret: true },
}

export const credentialOf = (key: string): Credential => credentials[key] ?? { label: key, isSecret: true }

/** The kinds of credentials a provider takes, each with its fields. */
export const credentialKindsOf = (provider: PsaProvider) =>
  psaCredentialSets[provider].map((keys, index) => ({
    value: String(index),
    label: keys.map((key) => credentialOf(key).label).join(' and '),
    keys,
  }))
