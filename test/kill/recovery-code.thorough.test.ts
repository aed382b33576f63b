import { randomInt } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { login, mfaVerify } from '../../shared/api/auth.ts'
import { mfaEnable, mfaSetup } from '../../shared/api/mfa.ts'
import { password } from '../helpers/factories.ts'
import { call, type KillableAppliance, killableAppliance, Refusal, setUp } from './scene.ts'

const unlimited = Object.fromEntries(
  ['LOGIN_IP', 'LOGIN_EMAIL', 'MFA_VERIFY'].map((name) => [`HOMEPORT_LIMIT_${name}`, '0/60']),
)

const countIn = (db: Database, sql: string) => db.statement(`SELECT count(*) FROM ${sql}`).pluck().get() as number
const sessions = "sessions WHERE mfa_source = 'recovery'"

/** What the database of a dead appliance says about recovery codes and what they opened. */
function books(appliance: KillableAppliance) {
  const db = appliance.openDatabase()
  expect(db.check()).toEqual([])
  const left = db.statement('SELECT json_array_length(mfa_recovery_codes) FROM users').pluck().get() as number
  const found = {
    spent: 10 - left,
    sessions: countIn(db, sessions),
    uses: countIn(db, "audit_logs WHERE action = 'auth.mfa.recovery_code.used'"),
    logins: countIn(db, "audit_logs WHERE action = 'user.login' AND details ->> 'source' = 'recovery'"),
    challenges: countIn(db, "one_time_secrets WHERE kind = 'mfa_pending'"),
  }
  db.close()
  return found
}

/** The moment the session is on disk, seen from outside; the answer is still to be written. */
async function committed(appliance: KillableAppliance, before: number, deadline = Date.now() + 60_000) {
  const db = appliance.openDatabase()
  while (countIn(db, sessions) === before && Date.now() < deadline) await setImmediate()
  db.close()
}

test('after a kill during a sign-in with a recovery code, the session is saved or the code works again', async () => {
  const appliance = await killableAppliance(unlimited)
  const { token } = await setUp(appliance)
  const { secret, recoveryCodes } = await call(appliance.origin, mfaSetup, {}, token)
  await call(appliance.origin, mfaEnable, { body: { code: generateSync({ secret }) } }, token)
  for (const [round, code] of recoveryCodes.slice(0, 10).entries()) {
    const begun = await call(appliance.origin, login, { body: { email: 'ada@acme.test', password } })
    if (!begun.mfaRequired) throw new Error('there is no challenge')
    const answer = { body: { tempToken: begun.tempToken, code } }
    const answered = call(appliance.origin, mfaVerify, answer).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refusal) throw error
        return false
      },
    )
    await (round % 2 ? committed(appliance, round) : setTimeout(randomInt(0, 12)))
    await appliance.kill()
    const isAnswered = await answered
    const found = books(appliance)
    const isSpent = found.spent > round
    if (isAnswered || round % 2) expect(isSpent, 'what was answered or seen is kept').toBe(true)
    const n = isSpent ? round + 1 : round
    expect(found).toEqual({ spent: n, sessions: n, uses: n, logins: n, challenges: isSpent ? 0 : 1 })
    await appliance.start()
    if (isSpent) await expect(call(appliance.origin, mfaVerify, answer)).rejects.toThrow(Refusal)
    else await call(appliance.origin, mfaVerify, answer)
  }
})
