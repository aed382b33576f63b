import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { Names } from './names.ts'

/** A resolver that is slow, as a hostile name server may be, and counts concurrent queries. */
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

test('at most two slow DNS lookups run at once, so that the pool has threads left for password checks', async () => {
  const { names, asked, most } = slowly()
  const hosts = Array.from({ length: 12 }, (_, at) => `${at}.evil.example`)
  await Promise.all(hosts.map((host) => names.addressesNow(host)))
  expect([asked.length, most()]).toEqual([12, 2])
})

test('concurrent lookups of one name share one DNS query, and a later lookup makes another', async () => {
  const { names, asked } = slowly()
  const found = await Promise.all(Array.from({ length: 20 }, () => names.addressesNow('idp.example')))
  expect(found.flat()).toEqual(Array(20).fill('1.1.1.1'))
  expect(asked).toHaveLength(1)
  await names.addressesNow('idp.example')
  expect(asked).toHaveLength(2)
})
