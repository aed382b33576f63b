import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { registerPartner, verifyEmail } from '../../shared/api/registration.ts'
import { eventually } from '../helpers/eventually.ts'
import { password } from '../helpers/factories.ts'
import { mailRows, mailToFiles, tokenIn, writtenMails } from '../helpers/mail.ts'
import { call, type KillableAppliance, killableAppliance, Refusal, setUp } from './scene.ts'

const unlimited = { ...mailToFiles, HOMEPORT_LIMIT_REGISTER_PARTNER: '0/60', HOMEPORT_LIMIT_VERIFY_EMAIL: '0/60' }

/** What must be true of the database whenever its process died: a whole company, or a link that still works. */
const halfDone = {
  'registered users without a membership':
    'SELECT email FROM users WHERE id NOT IN (SELECT user_id FROM partner_users)',
  'companies without anybody': 'SELECT slug FROM partners WHERE id NOT IN (SELECT partner_id FROM partner_users)',
  'own roles without their grant':
    'SELECT id FROM roles WHERE partner_id IS NOT NULL AND id NOT IN (SELECT role_id FROM role_permissions)',
  'users without the session they were given': 'SELECT email FROM users WHERE id NOT IN (SELECT user_id FROM sessions)',
  'mails for links that lead nowhere': `SELECT input ->> 'to' FROM tasks
    WHERE kind = 'mail.send' AND input ->> 'kind' = 'verify-registration'
    AND input ->> 'to' NOT IN (SELECT email FROM users)
    AND input ->> 'to' NOT IN (SELECT payload ->> 'email' FROM one_time_secrets WHERE kind = 'pending_registration')`,
}

const survive = (error: unknown) => {
  if (error instanceof Refusal) throw error
}

async function register({ origin }: KillableAppliance, email: string, accepted: string[]): Promise<void> {
  const body = { companyName: email, name: email, email, password, acceptTerms: true as const }
  await call(origin, registerPartner, { body }).then(() => accepted.push(email), survive)
}

test('a registration leads to one mail and one company, whenever the appliance is killed', async () => {
  const appliance = await killableAppliance(unlimited)
  await setUp(appliance)
  const accepted: string[] = []
  const verified: string[] = []
  // Also those whose answer was lost with the appliance: their link is used.
  let registered: unknown[] = []
  let serial = 0
  for (let round = 0; round < 4; round++) {
    const wanted = Array.from({ length: 4 }, () => `r${++serial}@kill.test`)
    const links = writtenMails(appliance.dataDir).filter(
      ({ kind, to }) => kind === 'verify-registration' && !registered.includes(to),
    )
    const asking = Promise.all(wanted.map((email) => register(appliance, email, accepted)))
    const [before, former] = [accepted.length, verified.length]
    await eventually(() => expect(accepted.length).toBeGreaterThan(before))
    const following = Promise.all(
      links.map((mail) =>
        call(appliance.origin, verifyEmail, { body: { token: tokenIn(mail) } }).then(
          () => verified.push(mail.to),
          survive,
        ),
      ),
    )
    await (round % 2 ? eventually(() => expect(verified.length).toBeGreaterThan(former)) : setTimeout(randomInt(0, 40)))
    await appliance.kill()
    await Promise.all([asking, following])
    const db = appliance.openDatabase()
    for (const [what, sql] of Object.entries(halfDone)) expect(db.statement(sql).pluck().all(), what).toEqual([])
    registered = db.statement('SELECT email FROM users').pluck().all()
    expect(registered).toEqual(expect.arrayContaining(verified))
    db.close()
    await appliance.start()
    await eventually(() => {
      const mailed = writtenMails(appliance.dataDir).map(({ to }) => to)
      for (const email of accepted) expect(mailed).toContain(email)
    })
  }
  const db = appliance.openDatabase()
  const queued = mailRows(db).flatMap(({ kind, recipient }) => (kind === 'verify-registration' ? [recipient] : []))
  expect(new Set(queued).size, 'each once').toBe(queued.length)
  expect(queued).toEqual(expect.arrayContaining(accepted))
  db.close()
})
