import { expect, test } from 'vitest'
import { crumbsOf, nameOf, parentOf } from './paths.ts'

test('the way from the top to a folder, on Linux, macOS and Windows', () => {
  expect(crumbsOf('/')).toEqual([])
  expect(crumbsOf('/home/ada')).toEqual([
    { name: 'home', path: '/home' },
    { name: 'ada', path: '/home/ada' },
  ])
  expect(crumbsOf('C:/Users/Ada')).toEqual([
    { name: 'C:', path: 'C:/' },
    { name: 'Users', path: 'C:/Users' },
    { name: 'Ada', path: 'C:/Users/Ada' },
  ])
})

test('the folder above, up to the top', () => {
  expect(['/home/ada', '/home', '/', 'C:/Users/Ada', 'C:/Users', 'C:/'].map(parentOf)).toEqual([
    ...['/home', '/', '/', 'C:/Users', 'C:/', '/'],
  ])
  expect(['/home/a b.txt', 'C:/', 'C:/x'].map(nameOf)).toEqual(['a b.txt', 'C:', 'x'])
})
