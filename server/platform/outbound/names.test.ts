import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { Names } from './names.ts'

/** Answers after a while, as the server of somebody who means harm may, and counts how many wait for it. */
function slowly() {
  const asked: string[] = []
  let waiting = 0
  let most = 0
  const resolve = async (host: string) => {
    asked.push(host)
    most = Math.max(most, ++waiting)
    await sleep(5)
    waiting--
    return ['1.1.1.1']
  }
  return { names: new Names(resolve, new FakeClock()), asked, most: () => most }
}

test('slow names take few of the threads that passwords are judged on', async () => {
  const { names, asked, most } = slowly()
  const hosts = Array.from({ length: 12 }, (_, at) => `${at}.evil.example`)
  await Promise.all(hosts.map((host) => names.addressesNow(host)))
  expect([asked.length, most()]).toEqual([12, 2])
})

test('a name is asked for once by all who wait for it, and anew by whoever comes after', async () => {
  const { names, asked } = slowly()
  const found = await Promise.all(Array.from({ length: 20 }, () => names.addressesNow('idp.example')))
  expect(found.flat()).toEqual(Array(20).fill('1.1.1.1'))
  expect(asked).toHaveLength(1)
  await names.addressesNow('idp.example')
  expect(asked).toHaveLength(2)
})
