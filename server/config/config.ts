import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { defaultDataDir } from '../../shared/data-dir.ts'
import { emailAddress } from '../../shared/fields.ts'
import { AddressList, parseNetwork } from '../lib/address-list.ts'
import type { LimitOverrides } from '../limits.ts'
import { readChoice, readEnv, readFlag, readNumber, readNumberLeniently } from './env.ts'
import { readLimitOverrides } from './limits.ts'
import { type MailConfig, readMail, readSms, type SmsConfig } from './messaging.ts'

export type TlsConfig = { mode: 'auto' } | { mode: 'files'; certFile: string; keyFile: string } | { mode: 'off' }

/** Which forwarding headers count. */
export interface ProxyRules {
  isTrusting: boolean
  /** Addresses and networks of the proxies. */
  cidrs: readonly string[]
  trustsCloudflare: boolean
}

export interface SecretOverrides {
  encryptionKey?: string | undefined
  jwtSecret?: string | undefined
  enrollmentPepper?: string | undefined
  recoveryPepper?: string | undefined
  /** Wraps the file: 32 bytes, base64, from the desktop's OS keychain. */
  wrappingKey?: string | undefined
}

export interface Config {
  dataDir: string
  host: string
  port: number
  tls: TlsConfig
  logLevel: string
  /** Where the console is to be found: for links, sign-in through identity providers, passkeys and devices. */
  publicUrl: string | undefined
  sso: {
    /** What of the own network single sign-on may reach; `isTrustFileNamed`: by the environment. */
    trustFile: string
    isTrustFileNamed: boolean
    trustJson: string | undefined
    /** Asked for proofs of domains instead of the system's. */
    dnsResolvers: string[]
    isDomainVerificationStrict: boolean
    /** `NODE_ENV` says production: the cookies of a sign-in travel over https only. */
    isSecureAlways: boolean
    returnsRefreshToken: boolean
  }
  /** No sign-in is answered sooner, so that the duration of an answer tells nothing; milliseconds. */
  signInFloorMs: number
  isTwoFactorEnabled: boolean
  /** Whether the flag "force MFA" of a role counts. */
  isMfaForcedByRole: boolean
  registration: { isEnabled: boolean; isShown: boolean }
  /** Many companies share this installation as a service: the sign-in page is nobody's in particular. */
  isHosted: boolean
  proxies: ProxyRules & { isConfigured: boolean }
  isAllowlistEnforced: boolean
  /** Where servers that people name may lie beside public addresses and the local network. */
  outboundAllowed: AddressList
  webAuthn: { rpId: string | undefined; origins: string[]; rpName: string }
  mail: MailConfig | null
  sms: SmsConfig | null
  /** Pauses after which silence means offline, and the like; seconds. */
  heartbeatIntervalSeconds: number
  enrollmentSecret: string | undefined
  refreshRotationGraceSeconds: number
  sessionMaxDays: number
  /** How long the agents of a tenant that leaves have to remove themselves; hours. */
  drainWindowHours: number
  /** How long an archived organization is kept unless somebody chooses otherwise; days. */
  archiveRetentionDays: number
  /** Whether events of the audit log are removed when their time is over. */
  isAuditRetentionEnabled: boolean
  platformAdmins: string[]
  bootstrapAdmin: { email: string; password: string; name: string; scope: 'partner' | 'system' } | undefined
  cookie: { sameSite: 'lax' | 'strict' | 'none'; forceSecure: boolean }
  corsAllowedOrigins: string[]
  merge: {
    /** More rows than this are not merged. */
    maxRows: number
    /** How long calls of an organization that is about to be merged get to end; milliseconds. */
    fenceDrainMs: number
  }
  limits: LimitOverrides
  secrets: SecretOverrides
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const dataDir = resolve(readEnv(env, 'HOMEPORT_DATA_DIR') ?? defaultDataDir(process.platform, env, homedir()))
  return {
    dataDir,
    host: readEnv(env, 'HOMEPORT_HOST') ?? '0.0.0.0',
    port: readNumber(env, 'HOMEPORT_PORT', 8443, 0, 65_535),
    tls: readTls(env),
    logLevel: readChoice(env, 'HOMEPORT_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    publicUrl: readPublicUrl(env),
    sso: readSso(env, dataDir),
    signInFloorMs: readNumber(env, 'HOMEPORT_SIGN_IN_FLOOR_MS', 350, 0, 10_000),
    isTwoFactorEnabled: readFlag(env, 'ENABLE_2FA', true),
    isMfaForcedByRole: readFlag(env, 'MFA_FORCE_FOR_PARTNER_ADMIN', false),
    registration: {
      isEnabled: readFlag(env, 'ENABLE_REGISTRATION', true),
      isShown: readFlag(env, 'PUBLIC_ENABLE_REGISTRATION', true),
    },
    isHosted: readFlag(env, 'IS_HOSTED', false),
    proxies: readProxies(env),
    isAllowlistEnforced: readChoice(env, 'IP_ALLOWLIST_ENFORCEMENT_MODE', ['enforce', 'off'], 'enforce') === 'enforce',
    outboundAllowed: new AddressList(readNetworks(env, 'OUTBOUND_ALLOWED_CIDRS')),
    webAuthn: {
      rpId: readEnv(env, 'WEBAUTHN_RP_ID'),
      origins: readList(env, 'WEBAUTHN_ORIGIN').map((text) => originOf('WEBAUTHN_ORIGIN', text)),
      rpName: readEnv(env, 'WEBAUTHN_RP_NAME') ?? 'Homeport',
    },
    mail: readMail(env),
    sms: readSms(env),
    heartbeatIntervalSeconds: readNumber(env, 'HOMEPORT_HEARTBEAT_SECONDS', 60, 5, 3600),
    enrollmentSecret: readEnv(env, 'AGENT_ENROLLMENT_SECRET'),
    refreshRotationGraceSeconds: readNumber(env, 'REFRESH_ROTATION_GRACE_SECONDS', 15, 0, 300),
    sessionMaxDays: readNumber(env, 'REFRESH_FAMILY_ABSOLUTE_TTL_DAYS', 30, 1, 365),
    drainWindowHours: readNumberLeniently(env, 'OFFBOARDING_DRAIN_WINDOW_HOURS', 72, 1),
    archiveRetentionDays: readNumberLeniently(env, 'ORG_ARCHIVE_DEFAULT_RETENTION_DAYS', 90, 1, 3650),
    isAuditRetentionEnabled: readFlag(env, 'AUDIT_RETENTION_ENABLED', true),
    platformAdmins: readList(env, 'PLATFORM_ADMINS').map((email) => emailOf('PLATFORM_ADMINS', email)),
    bootstrapAdmin: readBootstrapAdmin(env),
    cookie: {
      sameSite: readChoice(
        env,
        readEnv(env, 'AUTH_COOKIE_SAME_SITE') ? 'AUTH_COOKIE_SAME_SITE' : 'COOKIE_SAME_SITE',
        ['lax', 'strict', 'none'],
        'lax',
      ),
      forceSecure: readFlag(env, 'AUTH_COOKIE_FORCE_SECURE', false),
    },
    corsAllowedOrigins: readList(env, 'CORS_ALLOWED_ORIGINS').map((text) => originOf('CORS_ALLOWED_ORIGINS', text)),
    merge: {
      maxRows: readNumberLeniently(env, 'ORG_MERGE_MAX_ROWS', 500_000, 1),
      fenceDrainMs: readNumberLeniently(env, 'ORG_MERGE_FENCE_DRAIN_MS', 30_000, 0),
    },
    limits: readLimitOverrides(env),
    secrets: readSecrets(env),
  }
}

function readSso(env: NodeJS.ProcessEnv, dataDir: string): Config['sso'] {
  const trustFile = readEnv(env, 'SSO_TRUST_FILE')
  return {
    trustFile: resolve(trustFile ?? join(dataDir, 'sso-trust.json')),
    isTrustFileNamed: trustFile !== undefined,
    trustJson: readEnv(env, 'SSO_TRUST_JSON'),
    dnsResolvers: readList(env, 'SSO_DNS_RESOLVERS'),
    // As the public API reads it: anything else is no.
    isDomainVerificationStrict: readEnv(env, 'SSO_DOMAIN_VERIFICATION_STRICT')?.toLowerCase() === 'true',
    isSecureAlways: readEnv(env, 'NODE_ENV') === 'production',
    returnsRefreshToken: readFlag(env, 'SSO_EXCHANGE_RETURN_REFRESH_TOKEN', true),
  }
}

function readTls(env: NodeJS.ProcessEnv): TlsConfig {
  const mode = readChoice(env, 'HOMEPORT_TLS', ['auto', 'files', 'off'], 'auto')
  const certFile = readEnv(env, 'HOMEPORT_TLS_CERT')
  const keyFile = readEnv(env, 'HOMEPORT_TLS_KEY')
  if (mode !== 'files') {
    if (certFile || keyFile) throw new Error('HOMEPORT_TLS_CERT and HOMEPORT_TLS_KEY need HOMEPORT_TLS=files')
    return { mode }
  }
  if (!certFile || !keyFile) throw new Error('HOMEPORT_TLS=files needs HOMEPORT_TLS_CERT and HOMEPORT_TLS_KEY')
  return { mode, certFile: resolve(certFile), keyFile: resolve(keyFile) }
}

/** Three names of one setting; of several that are set the first counts, and each must be an address. */
const readPublicUrl = (env: NodeJS.ProcessEnv): string | undefined =>
  ['PUBLIC_URL', 'PUBLIC_APP_URL', 'DASHBOARD_URL'].map((name) => readOrigin(env, name)).find(Boolean)

function readOrigin(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = readEnv(env, name)
  return text === undefined ? undefined : originOf(name, text)
}

function originOf(name: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${name} must be an http or https address; it is "${text}"`)
  return new URL(text).origin
}

function emailOf(name: string, text: string): string {
  const { data } = emailAddress.safeParse(text)
  if (data === undefined) throw new Error(`${name} must be an e-mail address; it is "${text}"`)
  return data
}

const readList = (env: NodeJS.ProcessEnv, name: string): string[] =>
  (readEnv(env, name) ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean)

function readNetworks(env: NodeJS.ProcessEnv, name: string): string[] {
  const entries = readList(env, name)
  const wrong = entries.find((entry) => parseNetwork(entry) === null)
  if (wrong) throw new Error(`${name} must list IP addresses and CIDR ranges; "${wrong}" is neither`)
  return entries
}

function readProxies(env: NodeJS.ProcessEnv): Config['proxies'] {
  const mode = readEnv(env, 'TRUST_PROXY_HEADERS')?.toLowerCase() ?? 'auto'
  const cidrs = readNetworks(env, 'TRUSTED_PROXY_CIDRS')
  const isTrusting =
    mode === 'auto' ? readEnv(env, 'NODE_ENV') === 'development' : readFlag(env, 'TRUST_PROXY_HEADERS', false)
  return {
    isTrusting,
    cidrs: cidrs.length > 0 ? cidrs : ['127.0.0.0/8', '::1'],
    trustsCloudflare: readFlag(env, 'TRUST_CF_CONNECTING_IP', false),
    // What an allowlist may rest on is said explicitly.
    isConfigured: mode !== 'auto' && isTrusting && cidrs.length > 0,
  }
}

function readBootstrapAdmin(env: NodeJS.ProcessEnv): Config['bootstrapAdmin'] {
  const email = readEnv(env, 'BOOTSTRAP_ADMIN_EMAIL')
  if (!email) return undefined
  const password = readEnv(env, 'BOOTSTRAP_ADMIN_PASSWORD')
  if (!password || password.length < 16) throw new Error('BOOTSTRAP_ADMIN_PASSWORD must have at least 16 characters')
  return {
    email: emailOf('BOOTSTRAP_ADMIN_EMAIL', email),
    password,
    name: readEnv(env, 'BOOTSTRAP_ADMIN_NAME') ?? 'Administrator',
    scope: readChoice(env, 'BOOTSTRAP_ADMIN_SCOPE', ['partner', 'system'], 'partner'),
  }
}

function readSecrets(env: NodeJS.ProcessEnv): SecretOverrides {
  const jwtSecret = readEnv(env, 'JWT_SECRET')
  if (jwtSecret && jwtSecret.length < 32) throw new Error('JWT_SECRET must have at least 32 characters')
  return {
    encryptionKey: readEnv(env, 'SECRET_ENCRYPTION_KEY') ?? readEnv(env, 'APP_ENCRYPTION_KEY'),
    jwtSecret,
    enrollmentPepper: readEnv(env, 'ENROLLMENT_KEY_PEPPER'),
    recoveryPepper: readEnv(env, 'MFA_RECOVERY_CODE_PEPPER'),
    wrappingKey: readEnv(env, 'HOMEPORT_KEYRING_KEY'),
  }
}
