import { expect, test } from 'vitest'
import { forgotPassword } from '../../shared/api/passwords.ts'
import { eventually } from '../helpers/eventually.ts'
import { mailRows } from '../helpers/mail.ts'
import { mailServer } from '../helpers/mail-server.ts'
import { call, killableAppliance, setUp } from './scene.ts'

test('a mail the server had taken when the appliance was killed comes again, with the same link and the same id', async () => {
  const arrived: string[] = []
  let isDeaf = true
  await using server = await mailServer({
    atMail: ({ raw }) => {
      arrived.push(raw)
      // Taken, but the appliance never hears of it.
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
