import { expect, test } from 'vitest'
import { selectionsOf } from './fan-out.ts'

const file = { enabled: true, paths: ['/home'], excludes: ['*.tmp'] }

test('each enabled selection is one, in the order in which jobs are made', () => {
  const all = {
    vmhost: { enabled: true },
    database: { enabled: true, backupType: 'log' },
    system_image: { enabled: true },
    file,
  }
  expect(selectionsOf(all)).toEqual([
    { mode: 'file', targets: { paths: ['/home'], excludes: ['*.tmp'] } },
    { mode: 'system_image', targets: { includeSystemState: true } },
    { mode: 'database', targets: { backupType: 'log', excludeDatabases: [] } },
    { mode: 'vmhost', targets: { consistencyType: 'application', excludeVms: [] } },
  ])
  expect(selectionsOf({ ...all, database: { enabled: false } }).map(({ mode }) => mode)).toEqual([
    'file',
    'system_image',
    'vmhost',
  ])
})

test('no list of exclusions is not the same as an empty one', () => {
  expect(selectionsOf({ file: { enabled: true, paths: ['/a'] } })[0]?.targets).toEqual({ paths: ['/a'] })
  expect(selectionsOf({ file: { ...file, excludes: [] } })[0]?.targets).toEqual({ paths: ['/home'], excludes: [] })
})

test.each([
  ['nothing', {}],
  ['all switched off', { file: { ...file, enabled: false }, database: { enabled: false } }],
  ['no path', { file: { enabled: true, paths: [] } }],
  ['an invalid pattern', { file: { ...file, excludes: ['[abc'] } }],
  ['an empty class', { file: { ...file, excludes: ['[^]a'] } }],
  ['a type that nobody knows', { database: { enabled: true, backupType: 'sideways' } }],
  ['no object', 'file'],
])('a broken profile has no selection: %s', (_, selections) => {
  expect(selectionsOf(selections)).toEqual([])
})

test('one that is not valid does not take the others with it', () => {
  expect(selectionsOf({ file: { enabled: true, paths: [] }, system_image: { enabled: true } })).toEqual([
    { mode: 'system_image', targets: { includeSystemState: true } },
  ])
})
