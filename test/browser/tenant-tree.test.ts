import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedGroup, seedOrganizations } from './tenants.ts'

/** The tenant switcher and the tree with five thousand organizations. */

let company: Company
let page: Page
let organizations: SeededOrganization[]

beforeAll(async () => {
  company = await startCompany()
  organizations = seedOrganizations(company.db, 5000)
  const [one] = organizations as [SeededOrganization]
  seedGroup(company.db, one.id, one.sites[0]?.id ?? null, 'Front desk', one.sites[0]?.deviceIds ?? [])
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

/** Polls, because the machine may be busy. */
const soon = <T>(read: () => T) => expect.poll(read)
const org = () => new URL(page.url()).searchParams.get('org')
const switcher = () => page.getByRole('button', { name: /^Organization / })
const search = () => page.getByRole('combobox', { name: 'Search organizations' })
const item = (name: string | RegExp) => page.getByRole('treeitem', { name }).first()
const named = (name: string) => organizations.find((one) => one.name === name)?.id

/** The row of the tree that has the focus after a key, without its children. */
async function press(key: string, expected: string) {
  await page.keyboard.press(key)
  const row = () =>
    page.evaluate(() => document.activeElement?.querySelector<HTMLElement>(':scope[role="treeitem"] > *')?.innerText)
  await soon(row).toContain(expected)
}

async function openSwitcher() {
  await switcher().first().waitFor()
  await page.keyboard.press('s')
  await search().waitFor()
  await page.getByText('5,000 organizations').waitFor()
}

test('one of five thousand organizations is chosen by a shortcut, some letters and Enter', async () => {
  await page.goto('/devices')
  await openSwitcher()
  await look(page, 'switcher')
  // Enter is pressed before the answer arrives.
  await page.keyboard.type('law 4928')
  await page.keyboard.press('Enter')
  await soon(org).toBe(named('Falcon Law 4928'))
  await soon(() => switcher().innerText()).toContain('Falcon Law 4928')
  await page.getByText('This organization has no devices yet').waitFor()
  await look(page, 'organization-without-devices')
})

test('the switcher renders only the visible options and loads more while scrolling', async () => {
  await openSwitcher()
  expect(await page.getByRole('option').count()).toBeLessThan(40)
  const far = page.getByRole('option', { name: 'Beacon Bakery 140' })
  // Fingers are slower than this: a key at the end of the loaded options does nothing.
  for (let n = 0; n < 1500 && !(await far.isVisible()); n++) await page.keyboard.press('ArrowDown')
  await far.waitFor()
  expect(await page.getByRole('option').count()).toBeLessThan(40)
  await page.keyboard.press('Escape')
  await search().waitFor({ state: 'detached' })
})

test('the recently chosen organization comes first, after "All organizations"', async () => {
  await openSwitcher()
  const options = await page.getByRole('option').allInnerTexts()
  expect(options.slice(0, 2)).toEqual([
    expect.stringContaining('All organizations'),
    expect.stringMatching(/Falcon Law 4928\s+recent/),
  ])
  await chooseOption(page.getByRole('option', { name: 'All organizations' }))
  await soon(org).toBeNull()
  await soon(() => switcher().innerText()).toContain('All organizations')
})

test('the chosen organization stays from page to page, filters the counts and is part of the link', async () => {
  const [one] = organizations as [SeededOrganization]
  await page.goto(`/devices?org=${one.id}`)
  await soon(() => page.getByRole('button', { name: /All devices/ }).innerText()).toContain('6')
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('heading', { name: 'People' }).waitFor()
  await openFromSettings(page, 'Enrollment keys')
  await page.getByText('This organization has no enrollment keys').waitFor()
  expect(org()).toBe(one.id)
})

test('the tree opens by keyboard: organization, site, group, device', async () => {
  await page.goto('/devices')
  await item(/^Harbour Logistics 1\b/).focus()
  await press('ArrowRight', 'Harbour Logistics 1')
  await item(/^Head office/).waitFor()
  await press('ArrowRight', 'Head office')
  await press('ArrowRight', 'Head office')
  await item(/^Front desk/).waitFor()
  await press('ArrowRight', 'Front desk')
  await page.keyboard.press('Enter')
  await soon(() => new URL(page.url()).searchParams.get('group')).not.toBeNull()
  await page.getByRole('main').getByText('2 devices').waitFor()
  // Letters jump to matching rows here instead of being shortcuts.
  await press('l', 'Lantern Logistics 2')
  await press('ArrowUp', 'Branch')
  await press('g', 'Granite Logistics 6')
  await press('Home', 'Harbour Logistics 1')
  await press('ArrowRight', 'Head office')
  await press('ArrowRight', 'Front desk')
  await press('ArrowRight', 'Front desk')
  // The same device is also listed below its site.
  await item(/^Front desk/)
    .getByRole('treeitem', { name: /head-office-pc-2/ })
    .waitFor()
  await press('ArrowRight', 'head-office-pc-1')
  await press('ArrowLeft', 'Front desk')
  await press('ArrowRight', 'head-office-pc-1')
  // A device has no children.
  await press('ArrowRight', 'head-office-pc-1')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/devices/*')
  await page.getByRole('heading', { name: 'head-office-pc-1' }).waitFor()
  await look(page, 'tree')
})

test('the tree loads more rows at its end and keeps the focus where the new ones begin', async () => {
  await page.goto('/devices')
  await item(/^Harbour Logistics 1\b/).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await item('Harbour Motors 51').waitFor()
  await press('ArrowDown', 'Harbour Motors 51')
})

test('an organization far down the tree is shown in it while it is chosen', async () => {
  const far = named('Falcon Law 4928')
  await page.goto(`/devices?org=${far}`)
  await item('Falcon Law 4928').waitFor()
  await page.getByText('Empty').waitFor()
})

test('on a phone the tenant switcher is above the list and the tree in the navigation', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/devices')
  await switcher().click()
  await search().fill('granite dental')
  // Otherwise the target moves away when the other rows disappear.
  await soon(() => page.getByRole('option', { name: /^(?!Granite Dental)/ }).count()).toBe(0)
  await chooseOption(page.getByRole('option', { name: 'Granite Dental 16', exact: true }))
  await soon(org).toBe(named('Granite Dental 16'))
  await page.getByRole('button', { name: 'Navigation' }).click()
  await item(/^Granite Dental 16/).waitFor()
  await look(page, 'navigation-narrow')
  await page.setViewportSize({ width: 1280, height: 800 })
})
