import { expect } from 'vitest'
import type { SsoErrorCode } from '../../shared/sso-codes.ts'
import type { Landing } from './sso-browser.ts'
import type { SsoScene } from './sso-kit.ts'

/** Tables in which a refused sign-in may leave something: the audit log, and nothing that grants access. */
const traces = ['audit_logs', 'sso_sessions', 'sso_seen_codes', 'rate_limits']

/**
 * Carries out an attack that goes for this callback and expects it to be refused with `code` (or one of several), and to
 * have left nothing behind: no session, user, identity or grant, no cookie that lets in, no secret elsewhere or in the
 * log.
 */
export async function expectRefusal(
  scene: SsoScene,
  callback: URL,
  code: SsoErrorCode,
  attack: () => Promise<Landing>,
): Promise<void> {
  const { app, idp } = scene
  const secrets = secretsOf(scene, callback)
  const before = standing(scene)
  const firstLine = app.logLines.length
  const landing = await attack()
  expect(landing.path).toBe(`/login?error=${code}`)
  expect(landing.headers.get('cache-control')).toBe('no-store')
  expect(landing.headers.get('referrer-policy')).toBe('no-referrer')
  const cookies = landing.headers.getSetCookie()
  expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['svc_sso_state'])
  expect(cookies[0]).toMatch(/Max-Age=0/i)
  expect(standing(scene)).toEqual(before)
  expect(idp.front.strays).toEqual([])
  expect(idp.front.failures).toEqual([])
  const written = app.logLines.slice(firstLine).join('\n')
  const kept = JSON.stringify(app.db.statement('SELECT * FROM audit_logs').all())
  idp.front.issued.forEach((token, at) => {
    secrets[`token ${at}`] = token
  })
  for (const [name, secret] of Object.entries(secrets)) {
    expect(written.includes(secret), `${name} in the log`).toBe(false)
    expect(kept.includes(secret), `${name} in the audit log`).toBe(false)
  }
}

/** Everything that must be in no log, of a sign-in under way. */
function secretsOf({ idp, underWay }: SsoScene, callback: URL): Record<string, string> {
  const row = underWay(callback)
  const found = {
    secret: idp.clientSecret,
    code: callback.searchParams.get('code'),
    state: callback.searchParams.get('state'),
    nonce: row?.nonce,
    verifier: row?.code_verifier,
  }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

/** How many rows stand in the other tables, and the people with when they were last there. */
function standing({ app }: SsoScene) {
  const counts = Object.entries(app.rowCounts()).filter(([name]) => !traces.includes(name))
  return { ...Object.fromEntries(counts), people: app.db.statement('SELECT * FROM users ORDER BY id').all() }
}
