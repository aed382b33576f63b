import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { headBytes, isSpoiled } from './content.ts'

/** The first 4 KB of a file that begins like this and goes on like noise. */
const packed = (head: string) =>
  Buffer.concat([Buffer.from(head, 'hex'), randomBytes(headBytes)]).subarray(0, headBytes)
const text = Buffer.from('name;amount\nAda;12\n'.repeat(100))
const noise = randomBytes(headBytes)
const flat = (head: string) => Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(2000, 'pixels ')])

const zip = '504b0304'
const pdf = '255044462d312e370a'
const jpeg = 'ffd8ffe000104a464946'
const png = '89504e470d0a1a0a0000000d4948445200000100000001000802000000d3103f310000200049444154'
const mp4 = '00000018667479706d703432'
const tiff = '49492a00ffff0000'
const olderOffice = 'd0cf11e0a1b11ae1'
const sqlite = Buffer.from('SQLite format 3\0').toString('hex')

test.each([zip, pdf, jpeg, png, mp4, tiff, olderOffice, sqlite])(
  'what began with %s and is noise now is spoiled',
  async (head) => {
    expect(await isSpoiled('changed', flat(head), noise)).toBe(true)
    expect(await isSpoiled('replaced', flat(head), noise)).toBe(true)
  },
)

test('text that is noise now is spoiled, and so is a packed file without its head', async () => {
  expect(await isSpoiled('changed', text, noise)).toBe(true)
  expect(await isSpoiled('changed', packed(zip), noise)).toBe(true)
})

test.each([zip, pdf, jpeg, png, mp4, tiff])('a file that began with %s and still does is as usual', async (head) => {
  expect(await isSpoiled('changed', packed(head), packed(head))).toBe(false)
  expect(await isSpoiled('changed', flat(head), packed(head))).toBe(false)
})

test('a document whose parts are in another order is no other kind of file', async () => {
  const entry = (name: string) => {
    const header = Buffer.from('504b0304140000000800000000000000000000100000002000000000000000', 'hex').subarray(0, 30)
    header.writeUInt16LE(name.length, 26)
    return Buffer.concat([header, Buffer.from(name), randomBytes(headBytes)]).subarray(0, headBytes)
  }
  expect(await isSpoiled('changed', entry('[Content_Types].xml'), entry('word/document.xml'))).toBe(false)
})

test('the head of another kind is a disguise under the same name, and a conversion under another', async () => {
  expect(await isSpoiled('changed', packed(pdf), packed(jpeg))).toBe(true)
  expect(await isSpoiled('replaced', text, gzipSync(randomBytes(20_000)).subarray(0, headBytes))).toBe(false)
  expect(await isSpoiled('replaced', packed(jpeg), packed(png))).toBe(false)
})

test('a database of noise is encrypted behind its head', async () => {
  expect(await isSpoiled('changed', flat(sqlite), packed(sqlite))).toBe(true)
})

test('what was noise before, and what is too short, says nothing', async () => {
  expect(await isSpoiled('changed', noise, randomBytes(headBytes))).toBe(false)
  expect(await isSpoiled('changed', text.subarray(0, 300), randomBytes(300))).toBe(false)
  expect(await isSpoiled('changed', text, text)).toBe(false)
})
