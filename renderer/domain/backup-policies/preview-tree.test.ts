import { expect, test } from 'vitest'
import { treeOf } from './preview-tree.ts'

const folder = (path: string, bytes: number) => ({ path, bytes, files: 1 })

test('folders stand below those they are in, the largest first, whatever the system', () => {
  const largest = [
    folder('/home', 100),
    folder('/home/ada', 60),
    folder('/home/ada/docs', 50),
    folder('/home/bob', 40),
    folder('/homework', 5),
  ]
  expect(treeOf({ largest, bytes: 200 }, 10).map(({ name, depth, share }) => [name, depth, share])).toEqual([
    ['/home', 0, 50],
    ['ada', 1, 30],
    ['docs', 2, 25],
    ['bob', 1, 20],
    ['/homework', 0, 2.5],
  ])
  expect(treeOf({ largest, bytes: 200 }, 2)).toHaveLength(2)
  const names = (paths: string[]) =>
    treeOf({ largest: paths.map((path, n) => folder(path, 9 - n)), bytes: 0 }, 10).map(({ name }) => name)
  expect(names(['C:\\', 'C:\\Users', 'C:\\Users\\Ada'])).toEqual(['C:\\', 'Users', 'Ada'])
  expect(names(['/', '/var', '/var/lib'])).toEqual(['/', 'var', 'lib'])
})
