import { deflateSync } from 'node:zlib'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'

/** A company puts its logo, color and headline on the sign-in page. */

let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany()
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const field = (label: string) => page.getByLabel(label, { exact: true })
const form = () => page.getByRole('form', { name: 'Sign-in page' })
const save = async () => {
  // The notice of an earlier save may still be shown.
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
  await form().getByRole('button', { name: 'Save' }).click()
  await answered
  await noticeAppears(page, 'Sign-in page saved')
}
const stored = () =>
  company.db.statement('SELECT logo_url, accent_color, headline FROM partner_login_branding').get() as
    | { logo_url: string | null; accent_color: string | null; headline: string | null }
    | undefined
const aPicture = async (width: number, height: number) => ({
  name: 'logo.png',
  mimeType: 'image/png',
  // Noise does not compress: only fewer pixels make it smaller.
  buffer: Buffer.from(
    await page.evaluate(
      async ([width, height]) => {
        const canvas = new OffscreenCanvas(width, height)
        const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
        const image = context.createImageData(width, height)
        for (let at = 0; at < image.data.length; at++) image.data[at] = at % 4 === 3 ? 255 : Math.random() * 256
        context.putImageData(image, 0, 0)
        const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())
        return [...bytes]
      },
      [width, height] as const,
    ),
  ),
})

test('an image that is too large is scaled down, and a file that is no image is refused under the field', async () => {
  await page.goto('/settings/sign-in?tab=page')
  const file = page.locator('input[type=file]')
  await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
  await page.getByText('Choose a PNG, JPEG or WebP image.').waitFor()
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: deflateSync('no image') })
  await page.getByText('This file can’t be read as an image.').waitFor()
  await look(page, 'branding-refused')
  const picture = await aPicture(900, 300)
  expect(picture.buffer.length).toBeGreaterThan(400_000)
  await file.setInputFiles(picture)
  await page.getByAltText('Current logo').waitFor()
  await save()
  const logo = stored()?.logo_url ?? ''
  expect(logo).toMatch(/^data:image\/png;base64,/)
  expect(logo.length).toBeLessThanOrEqual(400_000)
  expect(logo.length).toBeGreaterThan(50_000)
})

test('a logo can be dropped as a file', async () => {
  await page.getByRole('button', { name: 'Remove logo' }).click()
  const bytes = [...(await aPicture(120, 40)).buffer]
  const drag = await page.evaluateHandle((data) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([new Uint8Array(data)], 'logo.png', { type: 'image/png' }))
    return transfer
  }, bytes)
  await page.getByRole('group', { name: 'Logo file' }).dispatchEvent('drop', { dataTransfer: drag })
  await page.getByAltText('Current logo').waitFor()
})

test('the address of a logo has to be https, and the page says when its image cannot be shown', async () => {
  await page.getByRole('button', { name: 'Remove logo' }).click()
  await field('Or image address').fill('http://cdn.northwind.test/logo.png')
  await form().getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter an address that starts with https://').waitFor()
  await field('Or image address').fill('https://cdn.northwind.test/logo.png')
  await page.getByText('The image at this address can’t be previewed.').waitFor()
  await look(page, 'branding-address')
  const stopped = company.complaints.splice(0)
  expect(stopped.filter((one) => !one.includes('Content Security Policy'))).toEqual([])
  await page.locator('input[type=file]').setInputFiles(await aPicture(240, 80))
  await page.getByAltText('Current logo').waitFor()
})

test('color and headline are previewed before they are saved', async () => {
  await field('Button color').fill('yellow')
  await page.keyboard.press('Escape')
  await form().getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter the color as #1a2b3c').waitFor()
  await field('Button color').fill('#ffd43b')
  await page.getByText('The text is black').waitFor()
  await page.getByText('hardly stands out on the light page').waitFor()
  await field('Headline').fill('Northwind Service Desk')
  await page.getByText('22 of 120 characters').waitFor()
  const preview = page.getByRole('img', { name: 'The sign-in page, dark' })
  await preview.getByText('Northwind Service Desk').waitFor()
  await save()
  expect(stored()).toMatchObject({ accent_color: '#ffd43b', headline: 'Northwind Service Desk' })
  await look(page, 'branding')
})

test('the pages before sign-in show the branding, with readable text on any color', async () => {
  const door = await company.visit()
  for (const [path, name] of [
    ['/login', 'login'],
    ['/forgot-password', 'forgot'],
    ['/reset-password?token=none', 'reset'],
  ] as const) {
    await door.goto(path)
    await door.getByAltText('Logo of your company').waitFor()
    await door.getByText('Northwind Service Desk').waitFor()
    await look(door, `branded-${name}`)
  }
  await door.goto('/login')
  const colours = await door
    .getByRole('button', { name: 'Sign in', exact: true })
    .evaluate((button) => [getComputedStyle(button).backgroundColor, getComputedStyle(button).color])
  expect(colours).toEqual(['rgb(255, 212, 59)', 'rgb(0, 0, 0)'])
  await leave(door)
})

test('branding that arrives late keeps what the visitor has typed', async () => {
  const door = await company.visit()
  const typed = Promise.withResolvers<void>()
  await door.route('**/auth/login-context', async (route) => {
    await typed.promise
    await route.continue()
  })
  await door.goto('/login')
  await door.getByLabel('Email', { exact: true }).fill('somebody@northwind.test')
  expect(await door.getByAltText('Logo of your company').count()).toBe(0)
  typed.resolve()
  await door.getByAltText('Logo of your company').waitFor()
  expect(await door.getByLabel('Email', { exact: true }).inputValue()).toBe('somebody@northwind.test')
  await leave(door)
})

test('the sign-in works while its branding cannot be loaded', async () => {
  const door = await company.visit()
  await door.route('**/auth/login-context', (route) => route.fulfill({ status: 500, body: 'no' }))
  await door.goto('/login')
  await door.getByText('Homeport', { exact: true }).waitFor()
  await door.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await door.unroute('**/auth/login-context')
  await door.route('**/auth/login-context', () => {})
  await door.reload()
  await door.getByLabel('Email', { exact: true }).fill('somebody@northwind.test')
  await door.getByText('Homeport', { exact: true }).waitFor()
  await leave(door)
})

test('logo, color and headline can be removed', async () => {
  await page.getByRole('button', { name: 'Remove all…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click()
  await expect.poll(stored).toEqual({ logo_url: null, accent_color: null, headline: null })
  await expect.poll(() => field('Headline').inputValue()).toBe('')
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
