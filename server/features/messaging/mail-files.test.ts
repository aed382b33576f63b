import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linkIn, linkThatWorks, mailsOf, mailToFiles } from '../../../test/helpers/mail.ts'
import { testApp } from '../../../test/helpers/test-app.ts'
import { Mailer } from './mailer.ts'

test('each mail becomes a file of its own that only the owner may read, in order of time', async () => {
  await using app = await testApp({ env: mailToFiles })
  const mailer = new Mailer(app.app.mailQueue)
  const data = { name: 'Ada', companyName: 'Acme', linkId: linkThatWorks(app) }
  mailer.send({ kind: 'verify-registration', to: 'a@b.test', data, lifeSeconds: 3600 })
  app.clock.advance(1)
  mailer.send({ kind: 'registration-attempted', to: 'c@d.test', data: { name: 'Cy' } })
  const mails = await mailsOf(app)
  expect(mails.map(({ kind, to, from, createdAt }) => ({ kind, to, from, createdAt }))).toEqual([
    {
      kind: 'verify-registration',
      to: 'a@b.test',
      from: 'Homeport <homeport@localhost>',
      createdAt: '2026-03-01T09:00:00.000Z',
    },
    {
      kind: 'registration-attempted',
      to: 'c@d.test',
      from: 'Homeport <homeport@localhost>',
      createdAt: '2026-03-01T09:00:00.001Z',
    },
  ])
  expect(linkIn(mails[0] as (typeof mails)[0]).pathname).toBe('/auth/verify-email')
  const folder = join(app.dataDir, 'mail')
  if (process.platform !== 'win32') {
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  }
})
