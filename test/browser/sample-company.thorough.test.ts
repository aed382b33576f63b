import type { Page, Request } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leave } from './context.ts'
import { look } from './look.ts'
import { type SampleCompany, startSamples } from './samples.ts'

/** The console with a company in it: the sample devices, as `npm run dev` shows them. */

let company: SampleCompany
let page: Page

beforeAll(async () => {
  company = await startSamples()
  page = company.page
})

afterAll(() => company?.[Symbol.asyncDispose]())

const names = () =>
  page
    .getByRole('table')
    .getByRole('row')
    .getByText(/^(pc|srv|mac)-\d+$/)

/** In the open menu of columns; resolves once the choice is stored, so that the next page has them. */
async function resetColumns(on = page) {
  const saved = on.waitForResponse((response) => response.request().method() === 'PATCH')
  await on.getByRole('menuitem', { name: 'Reset columns' }).click()
  await saved
  await on.keyboard.press('Escape')
}

test('Home says what needs attention, and each line leads to the devices it counts', async () => {
  await page.getByRole('heading', { name: '48 devices' }).waitFor()
  await page.getByText('Archived an organization: Vienna office').first().waitFor()
  await look(page, 'home')
  await page.getByRole('link', { name: /^7 devices went offline/ }).click()
  await page.waitForURL('**/devices?attention=went_offline')
  await page.getByRole('navigation', { name: 'Pages of devices' }).getByText('7 devices', { exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: /^Offline\s*7$/ }).click()
  await page.waitForURL('**/devices?status=offline')
  await page.goBack()
  // Of one device, it names the device and leads to what is the matter: the disk, the decision, the command itself.
  await page.getByRole('link', { name: /^srv-018 is low on disk space/ }).click()
  await page.waitForURL('**/devices/*?tab=hardware#disks')
  await page.goBack()
  await page.getByRole('link', { name: /^srv-046 waits for approval/ }).click()
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: /^A command failed on srv-002/ }).click()
  await page.waitForURL('**/devices/*?tab=commands&command=*')
  await page.getByText('chkdsk: the volume is in use').waitFor()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByText('chkdsk: the volume is in use').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Script failed' }).click()
  await page.getByText('chkdsk: the volume is in use').waitFor()
})

test('the list shows the sample devices', async () => {
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  await look(page, 'fleet')
})

test('on a phone a card names its numbers, and its box has room for a thumb', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/devices?attention=disk_full')
  const card = page.getByRole('list', { name: 'Devices' }).getByRole('listitem').first()
  await card.getByText(/^CPU \d+ % · Memory \d+ % · Disk 9\d %$/).waitFor()
  await look(page, 'fleet-cards')
  const box = card.getByRole('checkbox')
  const { x = 0, y = 0, width = 0, height = 0 } = (await box.boundingBox()) ?? {}
  // At the corners of 36 × 36 pixels around it, where the link of the card would open the device.
  for (const [dx, dy] of [
    [-17, -17],
    [17, 17],
  ] as const) {
    const before = await box.isChecked()
    await page.mouse.click(x + width / 2 + dx, y + height / 2 + dy)
    expect(await box.isChecked()).toBe(!before)
  }
  expect(new URL(page.url()).pathname).toBe('/devices')
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a printed list has the devices, the company and the time, and nothing to click', async () => {
  const printed = page.getByText(/^Northwind Traders · Homeport · .*\d/)
  expect(await printed.isVisible()).toBe(false)
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await page.emulateMedia({ media: 'print' })
  await printed.waitFor()
  expect(await names().last().isVisible()).toBe(true)
  for (const name of ['Add a device', 'Columns', /^Search/])
    expect(await page.getByRole('button', { name, includeHidden: true }).first().isVisible(), String(name)).toBe(false)
  expect(await page.getByRole('navigation', { includeHidden: true }).first().isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
})

test('search, filters and sorting are kept in the address across a reload', async () => {
  await page.goto('/devices?search=srv&os=windows&sort=hostname&dir=desc')
  await expect.poll(() => names().first().innerText()).toBe('srv-046')
  const shown = await names().allInnerTexts()
  expect(shown).toEqual([...shown].sort().reverse())
  expect(shown.every((name) => name.startsWith('srv'))).toBe(true)
  await page.reload()
  await expect.poll(() => names().allInnerTexts()).toEqual(shown)
  // Limited to the organization that was chosen before, nothing matches.
  await page.goto('/devices?search=srv-018')
  await expect.poll(() => names().count()).toBe(1)
  await page
    .getByRole('button', { name: /^Organization / })
    .first()
    .waitFor()
  await page.keyboard.press('s')
  await page.getByRole('combobox', { name: 'Search organizations' }).fill('Berlin office')
  await page.keyboard.press('Enter')
  await page.getByText('No devices match').waitFor()
  await page.getByRole('button', { name: 'Search all organizations' }).click()
  await expect.poll(() => names().count()).toBe(1)
})

test('a column heading sorts by keyboard and announces the order', async () => {
  const heading = (name: string) => page.getByRole('columnheader', { name, exact: true })
  const order = (name: string) => heading(name).getAttribute('aria-sort')
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  const ascending = await names().allInnerTexts()
  expect(await order('Name')).toBe('ascending')
  await heading('Name').getByRole('button').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => names().allInnerTexts()).toEqual(ascending.toReversed())
  expect(await order('Name')).toBe('descending')
  await page.keyboard.press('Space')
  await expect.poll(() => names().allInnerTexts()).toEqual(ascending)
  await heading('Last seen').getByRole('button').click()
  await expect.poll(() => order('Last seen')).toBe('descending')
  expect(await order('Name')).toBe('none')
  expect(await order('System')).toBe(null)
})

test('a column that is hidden at first is shown, and is there in another browser too', async () => {
  const heading = (name: string, on = page) => on.getByRole('columnheader', { name, exact: true })
  await page.goto('/devices')
  await heading('Name').waitFor()
  expect(await heading('Model').count()).toBe(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('menuitemcheckbox', { name: 'Model' }).click()
  await heading('Model').waitFor()
  expect((await saved).status()).toBe(200)
  await page.keyboard.press('Escape')
  await look(page, 'fleet-columns')
  const other = await company.openAnother()
  await other.goto('/devices')
  await heading('Model', other).waitFor()
  await other.getByRole('cell', { name: 'Apple MacBook Air M4' }).first().waitFor()
  await other.getByRole('button', { name: 'Columns' }).click()
  await resetColumns(other)
  await heading('Model', other).waitFor({ state: 'detached' })
  await leave(other)
})

test('the last 24 hours of each device are a column to show, which follows what happens', async () => {
  const asked: Request[] = []
  page.on('request', (request) => {
    if (request.url().includes('/devices/presence')) asked.push(request)
  })
  const strip = (device: string, name: string | RegExp) =>
    page.getByRole('row').filter({ hasText: device }).getByRole('img', { name, exact: true }).waitFor()
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  expect(asked).toEqual([])
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Last 24 hours' }).click()
  await page.keyboard.press('Escape')
  await strip('pc-005', 'Online 21 h 30 min, offline 2 h 30 min in the last 24 hours')
  await strip('srv-002', 'Online 22 h, maintenance 2 h in the last 24 hours')
  await strip('pc-013', /^Online 5 h( \d min)? in the last 24 hours$/)
  await strip('mac-007', /, offline 2 h( \d min)? in the last 24 hours$/)
  expect(asked).toHaveLength(1)
  await look(page, 'fleet-presence')
  // Somebody else does it, so that only a live event tells.
  const address = await page.getByRole('link', { name: 'pc-001' }).getAttribute('href')
  const authorization = (await asked[0]?.headerValue('authorization')) ?? ''
  const changed = await fetch(`${company.origin}/api/v1${address}/maintenance`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ enable: true }),
  })
  expect(changed.status).toBe(200)
  await strip('pc-001', /maintenance \d min in the last 24 hours$/)
  await page.getByRole('button', { name: 'Columns' }).click()
  await resetColumns()
})

test('with all columns shown, names are as wide as ever, and only the table scrolls', async () => {
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  const [button, menu] = [page.getByRole('button', { name: 'Columns' }), page.getByRole('menu')]
  await button.click()
  const hidden = menu.getByRole('menuitemcheckbox', { checked: false })
  const allStored = page.waitForResponse((response) =>
    Boolean(response.request().postData()?.includes('"hiddenColumns":{"devices":[]')),
  )
  await hidden.first().waitFor()
  while ((await hidden.count()) > 0) await hidden.first().click()
  await button.click()
  await menu.waitFor({ state: 'detached' })
  await allStored
  await look(page, 'fleet-all-columns')
  const name = await page.getByRole('columnheader', { name: 'Name', exact: true }).boundingBox()
  expect(name?.width).toBeGreaterThanOrEqual(100)
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await overflow()).toBeLessThanOrEqual(0)
  await button.click()
  await menu.waitFor()
  await resetColumns()
})

test('the headings stay in view while the list scrolls', async () => {
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  await page.mouse.move(700, 600)
  await page.mouse.wheel(0, 900)
  const top = async () => (await page.getByRole('columnheader', { name: 'Site' }).boundingBox())?.y
  // Right below the header of the page.
  await expect.poll(top).toBe(54)
})

test('the pages of the list follow each other without a gap', async () => {
  await page.goto('/devices?limit=25&sort=hostname&dir=asc')
  await expect.poll(() => names().count()).toBe(25)
  const first = await names().allInnerTexts()
  await page
    .getByRole('button', { name: /next|page 2|^2$/i })
    .first()
    .click()
  await expect.poll(() => names().count()).toBe(23)
  expect(new Set([...first, ...(await names().allInnerTexts())]).size).toBe(48)
})

test('letters in the menu of columns are no shortcuts, and it stays open and says what was chosen', async () => {
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  const menu = page.getByRole('button', { name: 'Columns' })
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemcheckbox', { name: 'Serial number' }).focus()
  await page.keyboard.type('s?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByRole('columnheader', { name: 'Serial number', exact: true }).waitFor()
  await page.getByText('Serial number shown', { exact: true }).waitFor({ state: 'attached' })
  const item = page.getByRole('menuitemcheckbox', { name: 'Serial number', checked: true })
  expect(await item.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => menu.evaluate((one) => one === document.activeElement)).toBe(true)
})

test('a device that needs a restart says so on its page', async () => {
  await page.goto('/devices?attention=restart_pending')
  await page.getByRole('link', { name: 'pc-005' }).click()
  await page.getByText('Needed', { exact: true }).waitFor()
})

test('a device is opened by keyboard alone', async () => {
  await page.goto('/devices')
  await expect.poll(() => names().count()).toBe(48)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/devices/*')
  await page.getByRole('heading', { name: 'Metrics' }).waitFor()
  await page.getByRole('img', { name: /in the last 24 hours$/ }).waitFor()
  await page.waitForTimeout(800)
  await look(page, 'fleet-device')
})

test('the appliance page lists its addresses and says that it serves plain HTTP', async () => {
  await page.goto('/system/appliance')
  await page.getByRole('heading', { name: 'Appliance' }).waitFor()
  await page.getByText(company.origin).first().waitFor()
  await look(page, 'appliance-http')
})

test('the page of an unknown device says that there is no such device', async () => {
  await page.goto('/devices/00000000-0000-4000-8000-000000000000')
  await page
    .getByText(/no such device|not found|does not exist|there is no/i)
    .first()
    .waitFor()
  await look(page, 'device-missing')
})
