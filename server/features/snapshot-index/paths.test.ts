import { expect, test } from 'vitest'
import { areOfWindows, partsOf, resticPathOf, shownName, shownPath } from './paths.ts'

test('a path of Windows is shown with its drive, and goes back to restic as restic wrote it', () => {
  expect(shownPath(['C', 'Users', 'a.txt'], true)).toBe('C:/Users/a.txt')
  expect(shownPath(['C'], true)).toBe('C:/')
  expect(shownName('C', 0, true)).toBe('C:')
  expect(shownName('C', 1, true)).toBe('C')
  for (const parts of [['C', 'Users', 'a.txt'], ['d'], ['C', 'C', 'new\nline'], ['host', 'share']])
    expect(resticPathOf(shownPath(parts, true))).toBe(`/${parts.join('/')}`)
})

test('a path of another system stays as it is, also when it looks like one of Windows', () => {
  expect(shownPath(['C', 'x'], false)).toBe('/C/x')
  expect(shownPath([], false)).toBe('/')
  for (const path of ['/C/x', '/C:/x', '/', '/a\\b', '/ C:/']) expect(resticPathOf(path)).toBe(path)
  expect(partsOf('/C:/x', false)).toEqual(['C:', 'x'])
})

test('a path is read in each of its forms', () => {
  for (const path of ['C:/Users/x', '/C:/Users/x', '/C/Users/x', 'C:/Users/x/'])
    expect(partsOf(path, true)).toEqual(['C', 'Users', 'x'])
  expect(partsOf('C:', true)).toEqual(['C'])
  expect(partsOf('/', false)).toEqual([])
  expect(partsOf('/a//b', false)).toBe(null)
  for (const path of ['', 'a', '../a', '/a/../b', '/a/./b', '/a\0', `/${'x'.repeat(2000)}`, '/x'.repeat(1001)])
    expect(partsOf(path, false), path.slice(0, 20)).toBe(null)
})

test('a snapshot of Windows is told by where it begins', () => {
  expect(['C:\\Users', 'c:/x', 'D:', '\\\\server\\share'].map((path) => areOfWindows([path]))).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(areOfWindows(['/', '/C:/x', 'C', 7, null])).toBe(false)
})
