import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emailAddress, ianaTimeZone, instant, lineOfText, name255, newPassword, passwordProblem } from './fields.ts'
import { pageQuery, queryFlag, toInt, uuidList } from './paging.ts'
import { allPermissions, grantAllows, permissionCatalog } from './permissions.ts'

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

test('an e-mail address is trimmed and lower-cased before it is looked at', () => {
  expect(emailAddress.parse('  Ada.Lovelace+x@Acme.Test ')).toBe('ada.lovelace+x@acme.test')
  for (const wrong of ['', 'ada', 'ada@', '@acme.test', 'ada@acme', 'a b@acme.test', `${'a'.repeat(250)}@acme.test`, 7])
    expect(accepts(emailAddress, wrong), String(wrong)).toBe(false)
})

test('a name is one line of at most 255 characters without control characters', () => {
  expect(name255.parse('  Ünïted 💥 ')).toBe('Ünïted 💥')
  expect(accepts(name255, 'x'.repeat(255))).toBe(true)
  for (const wrong of ['', '  ', 'x'.repeat(256), 'a\nb', 'a\u0000', '\u0000', 'a\u0085b', '\u001b[31m', null])
    expect(accepts(name255, wrong), JSON.stringify(wrong)).toBe(false)
  expect(accepts(lineOfText(3), 'abcd')).toBe(false)
})

test.each([
  ['Correct1', null],
  ['Größer12', null],
  [`Aa1${'x'.repeat(125)}`, null],
  [`Aa1${'x'.repeat(126)}`, 'at most 128'],
  ['Short1', 'at least 8'],
  ['lowercase1', 'uppercase'],
  ['UPPERCASE1', 'lowercase'],
  ['NoDigitAtAll', 'digit'],
])('the password %s: %s', (password, problem) => {
  if (problem === null) expect(passwordProblem(password)).toBeNull()
  else expect(passwordProblem(password)).toContain(problem)
  expect(accepts(newPassword, password)).toBe(problem === null)
})

test('a time zone is one that this machine knows by name', () => {
  expect(ianaTimeZone.parse('Europe/Berlin')).toBe('Europe/Berlin')
  for (const utc of ['UTC', 'utc', 'Etc/UTC']) expect(ianaTimeZone.parse(utc)).toBe('UTC')
  for (const wrong of ['', 'Mars/Base', '+02:00', '-05', 'x'.repeat(51)])
    expect(accepts(ianaTimeZone, wrong)).toBe(false)
})

test('an instant is what toISOString writes, and nothing else', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) =>
      accepts(instant, date.toISOString()),
    ),
  )
  for (const wrong of [
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.000+01:00',
    '2026-02-30T00:00:00.000Z',
  ])
    expect(accepts(instant, wrong), wrong).toBe(false)
})

test('page and limit are always usable numbers, whatever the query says', () => {
  fc.assert(
    fc.property(fc.option(fc.string(), { nil: undefined }), (text) => {
      const [page, limit] = [pageQuery.page.parse(text), pageQuery.limit.parse(text)]
      return Number.isSafeInteger(page) && page >= 1 && Number.isInteger(limit) && limit >= 1 && limit <= 100
    }),
  )
  expect(['3', ' 3 ', '+3', '-3', '3.5', '1e3', '', '1234567890'].map(toInt)).toEqual([
    3,
    3,
    3,
    -3,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('a list of ids skips blanks, and a flag is one of true, 1, false and 0', () => {
  const id = 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11'
  expect(uuidList.parse(`${id}, ${id},,`)).toEqual([id, id])
  expect(uuidList.parse('')).toEqual([])
  expect(accepts(uuidList, `${id},x`)).toBe(false)
  expect(['true', '1', 'false', '0'].map((text) => queryFlag.parse(text))).toEqual([true, true, false, false])
  expect(accepts(queryFlag, 'yes')).toBe(false)
})

test('a grant allows its own resource and action, and a star allows any', () => {
  expect(new Set(allPermissions).size).toBe(Object.values(permissionCatalog).flat().length)
  for (const permission of allPermissions) {
    const [resource = '', action = ''] = permission.split(':')
    expect(grantAllows({ resource, action }, permission)).toBe(true)
    expect(grantAllows({ resource: '*', action: '*' }, permission)).toBe(true)
    expect(grantAllows({ resource, action: '*' }, permission)).toBe(true)
    expect(grantAllows({ resource: `${resource}s`, action }, permission)).toBe(false)
    expect(grantAllows({ resource, action: `${action}d` }, permission)).toBe(false)
  }
})
