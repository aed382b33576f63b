import { expect, test } from 'vitest'
import { linkToHandOver, linkWarning } from './link-warning.ts'

test('a link that works on the appliance only, or whose name others may not know, is warned of', () => {
  expect(linkWarning('http://localhost:8080/x', 'localhost')).toContain('“localhost”')
  expect(linkWarning('http://127.0.0.1/x', 'homeport.test')).toContain('“127.0.0.1”')
  expect(linkWarning('https://nas/x', 'nas.example.com')).toContain('“nas”')
  expect(linkWarning('https://nas/x', 'nas')).toBeNull()
  expect(linkWarning('https://homeport.example.com/x', 'localhost')).toBeNull()
})

test('only a link to the appliance itself begins with the address at which the browser is, if that leads further', () => {
  const there = { hostname: '192.168.1.5', origin: 'https://192.168.1.5:8443' }
  const link = 'http://localhost:8080/accept-invite?token=abc'
  expect(linkToHandOver(link, there)).toBe('https://192.168.1.5:8443/accept-invite?token=abc')
  expect(linkToHandOver(link, { hostname: 'localhost', origin: 'http://localhost:9000' })).toBe(link)
  const reachable = 'https://homeport.example.com/accept-invite?token=abc'
  expect(linkToHandOver(reachable, there)).toBe(reachable)
})
