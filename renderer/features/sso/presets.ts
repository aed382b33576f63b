import type { SsoPreset, SsoProvider } from '../../../shared/api/sso-providers.ts'
import { findCustomPart } from './issuer.ts'

/** Texts that say where to find each value at one identity provider. */
export interface PresetGuide {
  name: string
  /** Shown below its name. */
  about: string
  /** How to register the appliance there. */
  register: string
  /** The variable part of the issuer. */
  part?: { label: string; about: string; placeholder: string }
  issuer: string
  clientId: string
  secret: string
  /** A peculiarity of the provider. */
  note?: string
  /** It never sends `email_verified`, so first sign-ins are matched by other means. */
  vouchesForNoAddress?: true
}

const guides: Record<string, PresetGuide> = {
  'azure-ad': {
    name: 'Microsoft Entra ID',
    about: 'Microsoft 365, formerly Azure AD',
    register:
      'In the Entra admin center: App registrations, New registration. Choose the platform “Web” and enter this redirect address.',
    part: {
      label: 'Directory (tenant) ID',
      about: 'On the registration’s overview page.',
      placeholder: '00000000-0000-0000-0000-000000000000',
    },
    issuer: 'https://login.microsoftonline.com/…/v2.0',
    clientId: '“Application (client) ID” on the registration’s overview page.',
    secret:
      'Certificates & secrets, New client secret. Copy its value, not its ID. Client secrets expire: note the date.',
    vouchesForNoAddress: true,
  },
  okta: {
    name: 'Okta',
    about: 'Workforce identity',
    register:
      'In the Okta admin console: Applications, Create App Integration, OIDC, Web Application. Enter this as the sign-in redirect URI.',
    part: {
      label: 'Okta domain',
      about: 'The part before .okta.com. If you use your own domain, enter the full address instead.',
      placeholder: 'contoso',
    },
    issuer: 'https://login.contoso.com',
    clientId: 'On the application’s page, under “General”.',
    secret: 'On the application’s page, under “General”.',
  },
  google: {
    name: 'Google Workspace',
    about: 'Accounts of your Google domain',
    register:
      'In the Google Cloud console: APIs & Services, Credentials, Create OAuth client ID, Web application. Enter this as the authorized redirect URI. Google only accepts https addresses with a public name.',
    issuer: 'https://accounts.google.com',
    clientId: 'Ends in .apps.googleusercontent.com.',
    secret: 'Shown beside the client ID.',
    note: 'Anyone with a Google account can sign in at Google: list your people’s domains below.',
  },
  auth0: {
    name: 'Auth0',
    about: 'By Okta, for applications',
    register:
      'In the Auth0 dashboard: Applications, Create Application, Regular Web Application. Enter this under “Allowed Callback URLs”.',
    part: {
      label: 'Auth0 domain',
      about: 'The part before .auth0.com, including its region, for example contoso.eu.',
      placeholder: 'contoso.eu',
    },
    issuer: 'https://login.contoso.com',
    clientId: 'On the application’s settings page.',
    secret: 'On the application’s settings page.',
  },
}

const keycloak: PresetGuide = {
  name: 'Keycloak',
  about: 'Often in your own network',
  register:
    'In the admin console of the realm: Clients, Create client, OpenID Connect. Turn “Client authentication” on and enter this under “Valid redirect URIs”.',
  issuer: 'https://keycloak.example.com/realms/name-of-the-realm',
  clientId: 'The client’s name.',
  secret: 'On the client’s page, under “Credentials”.',
}

const anyOther: PresetGuide = {
  name: 'Other',
  about: 'Anything that supports OpenID Connect',
  register: 'Register a web application (a confidential client) there, with this redirect address.',
  issuer: 'https://login.example.com',
  clientId: 'The ID the identity provider gave this application.',
  secret: 'The secret the identity provider gave this application.',
}

const saml: PresetGuide = {
  ...anyOther,
  about: 'Saved for later',
  register: '',
}

/** The presets to choose from, including those without one on the server. */
export interface PresetOption {
  id: string
  guide: PresetGuide
  preset?: SsoPreset
  type: SsoProvider['type']
}

const others: readonly PresetOption[] = [
  { id: 'keycloak', guide: keycloak, type: 'oidc' },
  { id: 'other', guide: anyOther, type: 'oidc' },
]

export function presetOptions(presets: readonly SsoPreset[]): PresetOption[] {
  const known = presets.map(
    (preset): PresetOption => ({ id: preset.id, preset, type: preset.type, guide: guideOf(preset) }),
  )
  return [...known.filter(({ type }) => type === 'oidc'), ...others, ...known.filter(({ type }) => type === 'saml')]
}

const guideOf = ({ id, name, type }: SsoPreset): PresetGuide =>
  type === 'saml' ? { ...saml, name } : (guides[id] ?? { ...anyOther, name, about: '' })

/** The kind of a stored provider, found by its issuer, since the kind is not stored. */
export function presetOptionOf(
  { type, issuer }: Pick<SsoProvider, 'type' | 'issuer'>,
  presets: readonly SsoPreset[],
): PresetOption {
  const preset = presets.find(
    ({ issuerTemplate }) => issuerTemplate && issuer && findCustomPart(issuerTemplate, issuer) !== null,
  )
  if (type === 'oidc' && preset) return { id: preset.id, preset, type, guide: guideOf(preset) }
  if (type === 'saml') return { id: 'saml', guide: { ...saml, name: 'SAML' }, type }
  if (issuer?.includes('/realms/')) return { id: 'keycloak', guide: keycloak, type }
  return { id: 'other', guide: { ...anyOther, name: 'OpenID Connect' }, type }
}
