import { expect, test } from 'vitest'
import { publicOrigin } from './public-address.ts'

test.each([
  ['https://box.local:8443', 'https://box.local:8443'],
  ['HTTPS://Box.Example.COM:443/', 'https://box.example.com'],
  ['http://192.168.1.5:8443', 'http://192.168.1.5:8443'],
  ['https://[FD00::5]:8443', 'https://[fd00::5]:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://box', 'https://box'],
])('%s is an address', (text, origin) => {
  expect(publicOrigin(text)).toBe(origin)
})

test.each([
  '',
  'box.local:8443',
  'ftp://box.local',
  'javascript:alert(1)',
  'https://',
  'https://box.local:99999',
  'https://box.local/console',
  'https://box.local?x',
  'https://box.local#x',
  'https://ada:secret@box.local',
  'https://box.local\\@evil.test',
  'https://box.local evil.test',
  'https://box_1.local',
  'https://-box.local',
  'https://box..local',
  'https://box.local.',
  `https://${'a'.repeat(64)}.test`,
  'https://localhost:8443',
  'https://127.0.0.1:8443',
  'https://2130706433',
  'https://0.0.0.0',
  'https://[::1]:8443',
  'https://[fe80::1]:8443',
])('%s is none', (text) => {
  expect(publicOrigin(text)).toBeNull()
})
