import { expect, test } from 'vitest'
import { defaultLimits } from '../limits.ts'
import { loadConfig } from './config.ts'

const admin = { BOOTSTRAP_ADMIN_EMAIL: 'a@b.test', BOOTSTRAP_ADMIN_PASSWORD: 'sixteen letters!' }

test('without any variable, the appliance has sensible settings', () => {
  const config = loadConfig({ HOME: '/home/x' })
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 8443,
    tls: { mode: 'auto' },
    logLevel: 'info',
    isTwoFactorEnabled: true,
    refreshRotationGraceSeconds: 15,
    sessionMaxDays: 30,
    heartbeatIntervalSeconds: 60,
    bootstrapAdmin: undefined,
    platformAdmins: [],
    corsAllowedOrigins: [],
    cookie: { sameSite: 'lax', forceSecure: false },
    limits: {},
  })
})

test('an empty variable counts as unset', () => {
  const names = [
    'HOMEPORT_PORT',
    'HOMEPORT_HOST',
    'HOMEPORT_TLS',
    'ENABLE_2FA',
    'PUBLIC_URL',
    'JWT_SECRET',
    'AUTH_COOKIE_SAME_SITE',
    'BOOTSTRAP_ADMIN_EMAIL',
    'HOMEPORT_LIMIT_GLOBAL',
    'PLATFORM_ADMINS',
  ]
  const empty = Object.fromEntries(names.map((name) => [name, '  ']))
  expect(loadConfig(empty)).toEqual(loadConfig({}))
})

test.each<[variable: string, value: string, rest?: Record<string, string>]>([
  ['HOMEPORT_PORT', 'http'],
  ['HOMEPORT_PORT', '65536'],
  ['HOMEPORT_PORT', '-1'],
  ['HOMEPORT_PORT', '80.5'],
  ['HOMEPORT_TLS', 'maybe'],
  ['HOMEPORT_TLS', 'files'],
  ['HOMEPORT_TLS_CERT', '/tmp/x.pem'],
  ['HOMEPORT_LOG_LEVEL', 'loud'],
  ['HOMEPORT_HEARTBEAT_SECONDS', '4'],
  ['ENABLE_2FA', 'perhaps'],
  ['AUTH_COOKIE_SAME_SITE', 'some'],
  ['COOKIE_SAME_SITE', 'some'],
  ['AUTH_COOKIE_FORCE_SECURE', '2'],
  ['REFRESH_ROTATION_GRACE_SECONDS', '-1'],
  ['REFRESH_FAMILY_ABSOLUTE_TTL_DAYS', '0'],
  ['DASHBOARD_URL', 'homeport.local'],
  ['PUBLIC_URL', 'ftp://homeport.local'],
  ['CORS_ALLOWED_ORIGINS', 'https://a.test,b.test'],
  ['PLATFORM_ADMINS', 'ada@acme.test, nobody'],
  ['JWT_SECRET', 'too short'],
  ['BOOTSTRAP_ADMIN_EMAIL', 'nobody', { BOOTSTRAP_ADMIN_PASSWORD: 'sixteen letters!' }],
  ['BOOTSTRAP_ADMIN_PASSWORD', 'fifteen letters', { BOOTSTRAP_ADMIN_EMAIL: 'a@b.test' }],
  ['BOOTSTRAP_ADMIN_SCOPE', 'planet', admin],
  ...Object.keys(defaultLimits).map((name): [string, string] => [
    `HOMEPORT_LIMIT_${name.toUpperCase()}`,
    '10 a minute',
  ]),
  ['HOMEPORT_LIMIT_GLOBAL', '10/0'],
])('a bad %s (%s) is refused by name', (variable, value, rest = {}) => {
  expect(() => loadConfig({ ...rest, [variable]: value })).toThrow(variable)
})

test('every variable that is wrong is named, each on its line', () => {
  const env = { HOMEPORT_PORT: '80.5', ENABLE_2FA: 'Perhaps', TRUSTED_PROXY_CIDRS: '10.0.0.1, nowhere' }
  expect(() => loadConfig(env)).toThrow(
    [
      'HOMEPORT_PORT must be a whole number from 0 to 65535; it is "80.5"',
      'ENABLE_2FA must be one of 1, true, yes, on, 0, false, no, off; it is "perhaps"',
      'TRUSTED_PROXY_CIDRS must list IP addresses and CIDR ranges; "nowhere" is neither',
    ].join('\n'),
  )
})

test('variables that have no effect are not validated', () => {
  const unused = {
    AUTH_COOKIE_SAME_SITE: 'strict',
    COOKIE_SAME_SITE: 'some',
    BOOTSTRAP_ADMIN_SCOPE: 'planet',
    SMTP_PORT: 'nowhere',
    SMS_GATEWAY_FORMAT: 'xml',
  }
  expect(loadConfig(unused)).toMatchObject({ mail: null, sms: null, cookie: { sameSite: 'strict' } })
})

test('no error message repeats a secret', () => {
  for (const [name, value] of [
    ['JWT_SECRET', 'hush-hush'],
    ['BOOTSTRAP_ADMIN_PASSWORD', 'hush-hush'],
  ] as const)
    expect(() => loadConfig({ ...admin, [name]: value })).toThrow(
      expect.not.stringContaining('hush') as unknown as Error,
    )
})

test('given values are normalized and used', () => {
  const config = loadConfig({
    ...admin,
    BOOTSTRAP_ADMIN_EMAIL: ' Ada@Acme.Test ',
    PLATFORM_ADMINS: ' Ada@Acme.test, bob@acme.test,',
    CORS_ALLOWED_ORIGINS: 'https://console.test/, http://localhost:5173',
    PUBLIC_URL: 'https://box.test/console/',
    HOMEPORT_LIMIT_LOGIN_IP: '100/60',
    HOMEPORT_TLS: 'files',
    HOMEPORT_TLS_CERT: '/c.pem',
    HOMEPORT_TLS_KEY: '/k.pem',
    ENABLE_2FA: 'Off',
    COOKIE_SAME_SITE: 'strict',
  })
  expect(config.bootstrapAdmin).toEqual({
    email: 'ada@acme.test',
    password: admin.BOOTSTRAP_ADMIN_PASSWORD,
    name: 'Administrator',
    scope: 'partner',
  })
  expect(config.platformAdmins).toEqual(['ada@acme.test', 'bob@acme.test'])
  expect(config.corsAllowedOrigins).toEqual(['https://console.test', 'http://localhost:5173'])
  expect(config.publicUrl).toBe('https://box.test')
  expect(config.limits.login_ip).toEqual({ max: 100, windowSeconds: 60, isDurable: true })
  expect(config.tls).toMatchObject({ mode: 'files' })
  expect(config.isTwoFactorEnabled).toBe(false)
  expect(config.cookie.sameSite).toBe('strict')
})

test('the first set name of the public address is used, and an invalid one under any name is refused', () => {
  const all = { PUBLIC_URL: 'https://a.test', PUBLIC_APP_URL: 'https://b.test', DASHBOARD_URL: 'https://c.test' }
  const { PUBLIC_URL: _, ...two } = all
  const urls = [all, two, { DASHBOARD_URL: all.DASHBOARD_URL }, {}].map((env) => loadConfig(env).publicUrl)
  expect(urls).toEqual(['https://a.test', 'https://b.test', 'https://c.test', undefined])
  expect(loadConfig({ ...all, PUBLIC_URL: ' ' }).publicUrl).toBe('https://b.test')
  expect(() => loadConfig({ ...all, DASHBOARD_URL: 'nonsense' })).toThrow('DASHBOARD_URL')
})

test('archived organizations are kept for 90 days unless a sensible other number is given', () => {
  const daysOf = (text?: string) => loadConfig({ ORG_ARCHIVE_DEFAULT_RETENTION_DAYS: text }).archiveRetentionDays
  expect(['1', '30', '3650'].map(daysOf)).toEqual([1, 30, 3650])
  for (const text of [undefined, '', '0', '-1', '3651', '1.5', 'forever']) expect(daysOf(text), text).toBe(90)
})

test('the limits of a merge fall back to their defaults when they are invalid', () => {
  const mergeOf = (maxRows?: string, fenceDrainMs?: string) =>
    loadConfig({ ORG_MERGE_MAX_ROWS: maxRows, ORG_MERGE_FENCE_DRAIN_MS: fenceDrainMs }).merge
  expect(mergeOf()).toEqual({ maxRows: 500_000, fenceDrainMs: 30_000 })
  expect(mergeOf('', '')).toEqual(mergeOf())
  expect(mergeOf('0', '-1')).toEqual(mergeOf())
  expect(mergeOf('many', '30s')).toEqual(mergeOf())
  expect(mergeOf('1', '0')).toEqual({ maxRows: 1, fenceDrainMs: 0 })
})

test('a drain window that is not a whole number of hours counts as unset', () => {
  const hoursOf = (text?: string) => loadConfig({ OFFBOARDING_DRAIN_WINDOW_HOURS: text }).drainWindowHours
  expect(['1', '168', ' 24 '].map(hoursOf)).toEqual([1, 168, 24])
  for (const text of [undefined, '', '0', '-5', '0.5', 'soon', '72h', 'Infinity']) expect(hoursOf(text), text).toBe(72)
})
