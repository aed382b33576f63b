import { expect, test } from 'vitest'
import { isBareName, isLoopback } from './host-names.ts'

test('the names of the machine itself are told from those of others', () => {
  const own = ['localhost', 'LOCALHOST', 'box.localhost', '127.0.0.1', '127.1.2.3', '0.0.0.0', '[::1]', '[::]']
  expect(own.filter((host) => !isLoopback(host))).toEqual([])
  const others = ['box', 'localhost.example.com', 'notlocalhost', '10.0.0.1', '[fd00::1]', '127.0.0.1.example.com']
  expect(others.filter(isLoopback)).toEqual([])
})

test('a bare name has no domain and is no address', () => {
  expect(['box', 'homeport-1'].filter(isBareName)).toHaveLength(2)
  expect(['box.local', '10.0.0.1', '[fd00::1]', 'localhost'].filter(isBareName)).toEqual([])
})
