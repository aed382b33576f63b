import { expect, test } from 'vitest'
import { forgotPassword } from '../../shared/api/passwords.ts'
import { eventually } from '../helpers/eventually.ts'
import { mailRows } from '../helpers/mail.ts'
import { mailServer } from '../helpers/mail-server.ts'
import { call, killableAppliance, setUp } from './scene.ts'

test('a mail whose delivery was not confirmed before a kill is sent again with the same link and the same id', async () => {
  const arrived: string[] = []
  let isDeaf = true
  await using server = await mailServer({
    atMail: ({ raw }) => {
      arrived.push(raw)
      // Accepted, but the appliance never gets the answer.
      if (isDeaf) return new Promise(() => {})
    },
  })
  const appliance = await killableAppliance(server.env)
  await setUp(appliance)
  await call(appliance.origin, forgotPassword, { body: { email: 'ada@acme.test' } })
  await eventually(() => expect(arrived).toHaveLength(1))
  await appliance.kill()
  isDeaf = false
  await appliance.start()
  await eventually(() => expect(arrived).toHaveLength(2))
  const [first, second] = arrived.map((raw) => ({
    id: /^Message-ID: (<.+>)\r$/m.exec(raw)?.[1],
    // Long lines of the text are folded in transport.
    token: /token=3D([\w-]{43})/.exec(raw.replaceAll('=\r\n', ''))?.[1],
  }))
  expect(first?.id).toMatch(/@homeport\.test>$/)
  expect(first?.token).toBeDefined()
  expect(second).toEqual(first)
  const db = appliance.openDatabase()
  await eventually(() => expect(mailRows(db)).toMatchObject([{ kind: 'password-reset', status: 'sent', attempts: 2 }]))
  db.close()
})
