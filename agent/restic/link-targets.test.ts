import { expect, test } from 'vitest'
import { isPlain, linkTargetsIn } from './link-targets.ts'

const line = 'Lrwxrwxrwx     0     0      0 2026-03-01 09:00:00 '

test.each([
  [`${line}/srv/link -> target file`, [{ path: '/srv/link', target: 'target file' }]],
  [
    `${line}/srv/a -> b -> c`,
    [
      { path: '/srv/a', target: 'b -> c' },
      { path: '/srv/a -> b', target: 'c' },
    ],
  ],
  ['-rw-r--r--     0     0      7 2026-03-01 09:00:00 /srv/a -> b', []],
  ['snapshot 1234 of [/srv] filtered by [] at 2026-03-01 09:00:00 +0000 UTC):', []],
  ['', []],
])('%s', (text, found) => {
  expect(linkTargetsIn(text)).toEqual(found)
})

test('what may stand there in another way is not compared', () => {
  for (const plain of ['/srv/ä b', '../x']) expect(isPlain(plain)).toBe(true)
  for (const other of ['a"b', 'a\\b', 'a\nb', 'a\uFFFD']) expect(isPlain(other)).toBe(false)
})
