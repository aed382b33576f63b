import { expect, test } from 'vitest'
import { z } from 'zod'
import { validationDetails } from './validation-details.ts'

const issue = (path: (string | number)[], message: string) => ({ code: 'custom' as const, path, message, input: null })

test('messages are listed under the whole path of their field, and those of the body apart', () => {
  expect(validationDetails([issue([], 'empty'), issue(['a', 2, 'b'], 'odd'), issue(['a', 2, 'b'], 'long')])).toEqual({
    formErrors: ['empty'],
    fieldErrors: { 'a.2.b': ['odd', 'long'] },
  })
})

test('fields may be named like members of every object', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
  const { fieldErrors } = validationDetails(names.map((name) => issue([name], 'wrong')))
  expect(Object.entries(fieldErrors)).toEqual(names.map((name) => [name, ['wrong']]))
  const record = z.record(z.string(), z.number()).safeParse(JSON.parse('{"__proto__":"a","constructor":"b"}'))
  expect(Object.keys(validationDetails(record.error?.issues ?? []).fieldErrors)).toContain('constructor')
})

test('at most fifty problems are reported', () => {
  const { fieldErrors } = validationDetails(Array.from({ length: 130_000 }, (_, index) => issue([index], 'wrong')))
  expect(Object.keys(fieldErrors)).toHaveLength(50)
})
