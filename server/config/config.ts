import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { defaultDataDir } from '../../shared/data-dir.ts'
import type { ProgramEnvironment } from '../../shared/node/restic.ts'
import { AddressList } from '../lib/address-list.ts'
import type { LimitOverrides } from '../limits.ts'
import { readLimitOverrides } from './limits.ts'
import { type MailConfig, readMail, readSms, type SmsConfig } from './messaging.ts'
import {
  choice,
  emails,
  flag,
  flagOrAuto,
  networks,
  optionalAddress,
  optionalFlag,
  optionalOrigin,
  optionalSecret,
  origins,
  readFirst,
  readVariables,
  requiredEmail,
  secret,
  text,
  texts,
  whole,
  wholeOrUnset,
} from './variables.ts'

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
  /** `isOpen`: null where the environment does not say. */
  registration: { isOpen: boolean | null; isShown: boolean }
  /** Many companies share this installation as a service: the sign-in page is nobody's in particular. */
  isHosted: boolean
  proxies: ProxyRules & { isConfigured: boolean }
  isAllowlistEnforced: boolean
  /** Where servers that people name may lie beside public addresses and the local network. */
  outboundAllowed: AddressList
  /** Where the appliance looks for a restic of its own, and where releases of it are. */
  restic: { environment: ProgramEnvironment; releases: string }
  webAuthn: { rpId: string | undefined; origins: string[]; rpName: string }
  mail: MailConfig | null
  sms: SmsConfig | null
  /** Pauses after which silence means offline, and the like; seconds. */
  heartbeatIntervalSeconds: number
  /** How far back scheduled backups are made up for at the start. */
  backupCatchUpHours: number
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

/** What each means: docs/settings.md. */
const variables = z.object({
  HOMEPORT_DATA_DIR: text,
  HOMEPORT_HOST: text,
  HOMEPORT_PORT: whole(8443, 0, 65_535),
  HOMEPORT_TLS: choice(['auto', 'files', 'off'], 'auto'),
  HOMEPORT_TLS_CERT: text,
  HOMEPORT_TLS_KEY: text,
  HOMEPORT_LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
  PUBLIC_URL: optionalOrigin,
  PUBLIC_APP_URL: optionalOrigin,
  DASHBOARD_URL: optionalOrigin,
  NODE_ENV: text,

  SSO_TRUST_FILE: text,
  SSO_TRUST_JSON: text,
  SSO_DNS_RESOLVERS: texts,
  SSO_DOMAIN_VERIFICATION_STRICT: text,
  SSO_EXCHANGE_RETURN_REFRESH_TOKEN: flag(true),

  HOMEPORT_SIGN_IN_FLOOR_MS: whole(350, 0, 10_000),
  ENABLE_2FA: flag(true),
  MFA_FORCE_FOR_PARTNER_ADMIN: flag(false),
  ENABLE_REGISTRATION: optionalFlag,
  PUBLIC_ENABLE_REGISTRATION: flag(true),
  IS_HOSTED: flag(false),
  REFRESH_ROTATION_GRACE_SECONDS: whole(15, 0, 300),
  REFRESH_FAMILY_ABSOLUTE_TTL_DAYS: whole(30, 1, 365),
  AUTH_COOKIE_FORCE_SECURE: flag(false),
  CORS_ALLOWED_ORIGINS: origins,
  WEBAUTHN_RP_ID: text,
  WEBAUTHN_ORIGIN: origins,
  WEBAUTHN_RP_NAME: text,
  PLATFORM_ADMINS: emails,
  BOOTSTRAP_ADMIN_EMAIL: text,

  TRUST_PROXY_HEADERS: flagOrAuto,
  TRUSTED_PROXY_CIDRS: networks,
  TRUST_CF_CONNECTING_IP: flag(false),
  IP_ALLOWLIST_ENFORCEMENT_MODE: choice(['enforce', 'off'], 'enforce'),
  OUTBOUND_ALLOWED_CIDRS: networks,
  RESTIC_PATH: text,
  RESTIC_RELEASES_URL: optionalAddress,

  HOMEPORT_HEARTBEAT_SECONDS: whole(60, 5, 3600),
  HOMEPORT_BACKUP_CATCH_UP_HOURS: whole(0, 0, 24),
  AGENT_ENROLLMENT_SECRET: text,
  OFFBOARDING_DRAIN_WINDOW_HOURS: wholeOrUnset(72, 1),
  ORG_ARCHIVE_DEFAULT_RETENTION_DAYS: wholeOrUnset(90, 1, 3650),
  ORG_MERGE_MAX_ROWS: wholeOrUnset(500_000, 1),
  ORG_MERGE_FENCE_DRAIN_MS: wholeOrUnset(30_000, 0),
  AUDIT_RETENTION_ENABLED: flag(true),

  SECRET_ENCRYPTION_KEY: text,
  APP_ENCRYPTION_KEY: text,
  JWT_SECRET: optionalSecret(32),
  ENROLLMENT_KEY_PEPPER: text,
  MFA_RECOVERY_CODE_PEPPER: text,
  HOMEPORT_KEYRING_KEY: text,
})
type Variables = z.infer<typeof variables>

/** Count only where `BOOTSTRAP_ADMIN_EMAIL` is set. */
const bootstrapVariables = z.object({
  BOOTSTRAP_ADMIN_EMAIL: requiredEmail,
  BOOTSTRAP_ADMIN_PASSWORD: secret(16),
  BOOTSTRAP_ADMIN_NAME: text,
  BOOTSTRAP_ADMIN_SCOPE: choice(['partner', 'system'], 'partner'),
})

/** @throws Error that names the variables that are wrong */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const read = readVariables(variables, env)
  const dataDir = resolve(read.HOMEPORT_DATA_DIR ?? defaultDataDir(process.platform, env, homedir()))
  return {
    dataDir,
    host: read.HOMEPORT_HOST ?? '0.0.0.0',
    port: read.HOMEPORT_PORT,
    tls: tlsOf(read),
    logLevel: read.HOMEPORT_LOG_LEVEL,
    // Three names of one setting.
    publicUrl: read.PUBLIC_URL ?? read.PUBLIC_APP_URL ?? read.DASHBOARD_URL,
    sso: ssoOf(read, dataDir),
    signInFloorMs: read.HOMEPORT_SIGN_IN_FLOOR_MS,
    isTwoFactorEnabled: read.ENABLE_2FA,
    isMfaForcedByRole: read.MFA_FORCE_FOR_PARTNER_ADMIN,
    registration: { isOpen: read.ENABLE_REGISTRATION ?? null, isShown: read.PUBLIC_ENABLE_REGISTRATION },
    isHosted: read.IS_HOSTED,
    proxies: proxiesOf(read),
    isAllowlistEnforced: read.IP_ALLOWLIST_ENFORCEMENT_MODE === 'enforce',
    outboundAllowed: new AddressList(read.OUTBOUND_ALLOWED_CIDRS),
    restic: {
      environment: { RESTIC_PATH: read.RESTIC_PATH, PATH: env.PATH, ProgramFiles: env.ProgramFiles },
      releases: read.RESTIC_RELEASES_URL ?? 'https://github.com/restic/restic/releases',
    },
    webAuthn: {
      rpId: read.WEBAUTHN_RP_ID,
      origins: read.WEBAUTHN_ORIGIN,
      rpName: read.WEBAUTHN_RP_NAME ?? 'Homeport',
    },
    mail: readMail(env),
    sms: readSms(env),
    heartbeatIntervalSeconds: read.HOMEPORT_HEARTBEAT_SECONDS,
    backupCatchUpHours: read.HOMEPORT_BACKUP_CATCH_UP_HOURS,
    enrollmentSecret: read.AGENT_ENROLLMENT_SECRET,
    refreshRotationGraceSeconds: read.REFRESH_ROTATION_GRACE_SECONDS,
    sessionMaxDays: read.REFRESH_FAMILY_ABSOLUTE_TTL_DAYS,
    drainWindowHours: read.OFFBOARDING_DRAIN_WINDOW_HOURS,
    archiveRetentionDays: read.ORG_ARCHIVE_DEFAULT_RETENTION_DAYS,
    isAuditRetentionEnabled: read.AUDIT_RETENTION_ENABLED,
    platformAdmins: read.PLATFORM_ADMINS,
    bootstrapAdmin: read.BOOTSTRAP_ADMIN_EMAIL === undefined ? undefined : readBootstrapAdmin(env),
    cookie: {
      sameSite: readFirst(choice(['lax', 'strict', 'none'], 'lax'), ['AUTH_COOKIE_SAME_SITE', 'COOKIE_SAME_SITE'], env),
      forceSecure: read.AUTH_COOKIE_FORCE_SECURE,
    },
    corsAllowedOrigins: read.CORS_ALLOWED_ORIGINS,
    merge: { maxRows: read.ORG_MERGE_MAX_ROWS, fenceDrainMs: read.ORG_MERGE_FENCE_DRAIN_MS },
    limits: readLimitOverrides(env),
    secrets: {
      encryptionKey: read.SECRET_ENCRYPTION_KEY ?? read.APP_ENCRYPTION_KEY,
      jwtSecret: read.JWT_SECRET,
      enrollmentPepper: read.ENROLLMENT_KEY_PEPPER,
      recoveryPepper: read.MFA_RECOVERY_CODE_PEPPER,
      wrappingKey: read.HOMEPORT_KEYRING_KEY,
    },
  }
}

const ssoOf = (read: Variables, dataDir: string): Config['sso'] => ({
  trustFile: resolve(read.SSO_TRUST_FILE ?? join(dataDir, 'sso-trust.json')),
  isTrustFileNamed: read.SSO_TRUST_FILE !== undefined,
  trustJson: read.SSO_TRUST_JSON,
  dnsResolvers: read.SSO_DNS_RESOLVERS,
  // As the public API reads it: anything else is no.
  isDomainVerificationStrict: read.SSO_DOMAIN_VERIFICATION_STRICT?.toLowerCase() === 'true',
  isSecureAlways: read.NODE_ENV === 'production',
  returnsRefreshToken: read.SSO_EXCHANGE_RETURN_REFRESH_TOKEN,
})

function tlsOf(read: Variables): TlsConfig {
  const { HOMEPORT_TLS: mode, HOMEPORT_TLS_CERT: certFile, HOMEPORT_TLS_KEY: keyFile } = read
  if (mode !== 'files') {
    if (certFile || keyFile) throw new Error('HOMEPORT_TLS_CERT and HOMEPORT_TLS_KEY need HOMEPORT_TLS=files')
    return { mode }
  }
  if (!certFile || !keyFile) throw new Error('HOMEPORT_TLS=files needs HOMEPORT_TLS_CERT and HOMEPORT_TLS_KEY')
  return { mode, certFile: resolve(certFile), keyFile: resolve(keyFile) }
}

function proxiesOf(read: Variables): Config['proxies'] {
  const { TRUST_PROXY_HEADERS: mode, TRUSTED_PROXY_CIDRS: cidrs } = read
  const isTrusting = mode === 'auto' ? read.NODE_ENV === 'development' : mode
  return {
    isTrusting,
    cidrs: cidrs.length > 0 ? cidrs : ['127.0.0.0/8', '::1'],
    trustsCloudflare: read.TRUST_CF_CONNECTING_IP,
    // What an allowlist may rest on is said explicitly.
    isConfigured: mode !== 'auto' && isTrusting && cidrs.length > 0,
  }
}

function readBootstrapAdmin(env: NodeJS.ProcessEnv): Config['bootstrapAdmin'] {
  const read = readVariables(bootstrapVariables, env)
  return {
    email: read.BOOTSTRAP_ADMIN_EMAIL,
    password: read.BOOTSTRAP_ADMIN_PASSWORD,
    name: read.BOOTSTRAP_ADMIN_NAME ?? 'Administrator',
    scope: read.BOOTSTRAP_ADMIN_SCOPE,
  }
}
