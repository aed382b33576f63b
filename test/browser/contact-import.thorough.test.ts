import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { ada, type Company, password, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Contacts from another system: from the file to the result. */

let company: Company
let page: Page
let org: SeededOrganization

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  org = seedOrganizations(company.db, 3)[0] as SeededOrganization
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await company?.[Symbol.asyncDispose]()
})

const rows = () => page.getByRole('region', { name: 'Rows in the file' })
const results = () => page.getByRole('region', { name: 'Import results' })
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const contacts = () => company.db.all(q.selectFrom('contacts').selectAll().orderBy('name'))
const give = (name: string, text: string | Buffer) =>
  page.getByLabel('Contacts file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
const downloaded = async (name: string) => {
  const [download] = await Promise.all([page.waitForEvent('download'), button(name).click()])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}
const open = async () => {
  await page.goto(`/organizations/${org.id}?tab=contacts`)
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'Choose the list' }).waitFor()
}

test('a Windows-1252 file is mapped, previewed, imported, corrected and imported again', async () => {
  await open()
  await look(page, 'contact-import-file')
  // Windows-1252 with semicolons, as German spreadsheets write it.
  const file = [
    'Contact ID;First Name;Last Name;Email Address;Phone;Roles;Site Name;Remark',
    'c-1;René;Dupont;rene@x.test;+49 30 1;Billing, Technical;;x',
    'c-2;Ada;Lovelace;nobody;;;;',
    'c-3;Bob;Bauer;bob@x.test;;Chief;;=1+1',
    'c-4;Eve;;eve@x.test;;;Nowhere;',
  ].join('\r\n')
  await give('people.csv', Buffer.from(file, 'latin1'))
  await page.getByRole('heading', { name: 'Match the columns' }).waitFor()
  await page.getByRole('cell', { name: 'René, Ada, Bob' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Import “Email Address” as' }).inputValue()).toBe('Email')
  expect(await page.getByRole('combobox', { name: 'Import “Remark” as' }).inputValue()).toBe('')
  await page.getByLabel('Source of the IDs').fill('ConnectWise')
  await look(page, 'contact-import-columns')
  await button('Preview').click()
  await rows().getByText('René Dupont').waitFor()
  await rows().getByText('Column “Email Address”: not an email address').waitFor()
  await rows().getByText('Column “Roles”: there is no role "Chief"').waitFor()
  await rows().getByText('Column “Site Name”: the organization has no “Nowhere”').waitFor()
  await look(page, 'contact-import-preview')
  await page.getByText('Needs fixing: 3').click()
  expect(await rows().getByText('René Dupont').count()).toBe(0)
  // Going back loses nothing.
  await button('Back').click()
  expect(await page.getByLabel('Source of the IDs').inputValue()).toBe('ConnectWise')
  // The focus follows the step, and the progress bar names it.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Match the columns')
  const steps = page.getByLabel('Import progress').getByRole('button', { includeHidden: true })
  expect(await steps.allTextContents()).toEqual([
    expect.stringContaining('File, done'),
    expect.stringContaining('Columns'),
    expect.stringContaining('Preview'),
    expect.stringContaining('Import'),
  ])
  expect(await steps.nth(1).getAttribute('aria-current')).toBe('step')
  await button('Preview').click()
  await button('Import 1 row').click()
  await page.getByText('Import finished.').waitFor()
  await look(page, 'contact-import-result')
  expect(contacts()).toMatchObject([
    { name: 'René Dupont', email: 'rene@x.test', roles: '["billing","technical"]', org_id: org.id },
  ])

  const result = await downloaded('Download results')
  expect(result.name).toBe('people - result.csv')
  expect(result.text).toContain(`c-1;René;Dupont;rene@x.test;"'+49 30 1";Billing, Technical;;x;Imported;`)
  const errors = await downloaded('Download rows with errors')
  expect(errors.text).toContain(`"'=1+1";Not imported;"Row 4. Column “Roles”: there is no role ""Chief"""`)
  await button('Import another file').click()
  await give(
    'mended.csv',
    errors.text.replace('nobody', 'ada@x.test').replace('Chief', 'On site').replace('Nowhere', ''),
  )
  await page.getByRole('heading', { name: 'Match the columns' }).waitFor()
  expect(await page.getByText('Import outcome').count()).toBe(0)
  expect(await page.getByLabel('Source of the IDs').inputValue()).toBe('ConnectWise')
  await button('Preview').click()
  await button('Import 3 rows').click()
  await page.getByText('Import finished.').waitFor()
  await page.getByRole('link', { name: 'View contacts' }).click()
  await page.getByText('4 contacts').waitFor()

  // In the audit log an import is one entry, which opens to its rows.
  await page.getByRole('link', { name: 'Audit log' }).click()
  const entry = page.getByRole('row', { name: /Imported 3 contacts/ })
  const unfold = entry.getByRole('button', { name: 'Rows' })
  await unfold.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /Added a contact .*Ada Lovelace/ }).waitFor()
  expect(await unfold.getAttribute('aria-expanded')).toBe('true')
  await look(page, 'audit-log-import')
  await unfold.click()
  await expect.poll(() => page.getByRole('row', { name: /Ada Lovelace/ }).count()).toBe(0)
})

test('existing contacts are updated only when ticked, and linked ones only on request', async () => {
  await open()
  await page
    .getByLabel('Or paste rows')
    .fill(
      [
        'Name\tEmail\tJob Title\tContact ID',
        'Renee D\trene@x.test\tHead of IT\t',
        'Bob  BAUER\t\tAccountant\t',
        'Ada Lovelace\tada@x.test\tCountess\tc-2',
        'Newcomer\tnew@x.test\t\tc-9',
      ].join('\n'),
    )
  await button('Use these rows').click()
  await page.getByLabel('Source of the IDs').fill('ConnectWise')
  await button('Preview').click()
  await rows().getByText('Select to update this contact: René Dupont').waitFor()
  await button('Import 2 rows').waitFor()
  await page.getByLabel('Update contacts with the same email address (1)').check()
  await page.getByLabel('Update this contact: Bob Bauer, row 3').check()
  await page.getByLabel('Update them', { exact: true }).check()
  await look(page, 'contact-import-matches')
  // One stop for all boxes; from there as in other lists.
  await page.getByLabel('Update this contact: Bob Bauer, row 3').focus()
  await page.keyboard.press('j')
  expect(await rows().locator('input[type=checkbox][tabindex="0"]').count()).toBe(1)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('x')
  expect(await page.getByLabel('Import row 5, Newcomer').isChecked()).toBe(false)
  await button('Import 3 rows').click()
  await page.getByText('Import finished.').waitFor()
  await results().getByText('Skipped').waitFor()
  expect(contacts().map(({ name, title }) => [name, title])).toEqual([
    ['Ada Lovelace', 'Countess'],
    ['Bob  BAUER', 'Accountant'],
    ['Eve', null],
    ['Renee D', 'Head of IT'],
  ])
})

test('another row of the same person can be ticked and adds its id to the contact', async () => {
  const preview = async () => {
    await open()
    const lines = ['Dana Whitfield,dana@sunrise.test,,81', 'D. Whitfield,dana@sunrise.test,Owner,82']
    await page.getByLabel('Or paste rows').fill(['Name,Email,Job Title,Contact ID', ...lines].join('\n'))
    await button('Use these rows').click()
    await page.getByLabel('Source of the IDs').fill('Atera')
    await button('Preview').click()
  }
  await preview()
  await rows().getByText('Column “Email”: row 2 has the same address').waitFor()
  await button('Import 1 row').click()
  await page.getByText('Import finished.').waitFor()

  await preview()
  await rows().getByText('Row 2 is the same contact. This one adds its ID and anything that’s still blank.').waitFor()
  const tick = page.getByLabel('Update this contact: Dana Whitfield, row 3')
  expect(await tick.isChecked()).toBe(false)
  await tick.check()
  await look(page, 'contact-import-same-person')
  await button('Import 2 rows').click()
  await page.getByText('Import finished.').waitFor()
  await page.getByText('Updated: 1').waitFor()
  const people = contacts().filter(({ email }) => email === 'dana@sunrise.test')
  expect(people).toMatchObject([{ name: 'Dana Whitfield', title: 'Owner' }])
  const ids = q
    .selectFrom('contact_external_links')
    .select('external_id')
    .where('contact_id', '=', people[0]?.id ?? '')
  expect(company.db.all(ids).map(({ external_id }) => external_id)).toEqual(['81', '82'])

  await preview()
  await page.getByText('Already imported: 2').waitFor()
})

test('a long file is sent in chunks and resumes after a lost answer and an ended session without duplicates', async () => {
  await open()
  const many = Array.from({ length: 2500 }, (_, at) => `Person ${at},p${at}@many.test,m-${at}`)
  await give('many.csv', ['Name,Email,Contact ID', ...many].join('\n'))
  await button('Preview').click()
  await button('Import 2,500 rows').waitFor()
  // Only the visible rows are rendered.
  expect(await rows().getByRole('listitem').count()).toBeLessThan(60)
  let sent = 0
  await page.route('**/orgs/contacts/import', async (route) => {
    sent += 1
    if (sent !== 2) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await button('Import 2,500 rows').click()
  await page.getByText('Every row has a contact ID, so none is imported twice.').waitFor()
  await page.getByText('Importing: 1,000 of 2,500 rows').waitFor()
  await look(page, 'contact-import-failed')
  company.db.statement("UPDATE sessions SET revoked_at = '2026-01-01T00:00:00.000Z', revoked_reason = 'admin'").run()
  await button('Continue').click()
  const held = page.getByRole('dialog', { name: 'Your session has ended' })
  await held.getByLabel('Password', { exact: true }).fill(password)
  await held.getByRole('button', { name: 'Sign in', exact: true }).click()
  await held.waitFor({ state: 'hidden' })
  await page.getByText('Your session has ended, so nothing was changed.').waitFor()
  await button('Continue').click()
  await page.getByText('Import finished.').waitFor()
  await page.getByText('Imported: 1,500').waitFor()
  await page.getByText('Unchanged: 1,000').waitFor()
  const total = company.db.statement("SELECT count(*) FROM contacts WHERE email LIKE '%@many.test'").pluck().get()
  expect(total).toBe(2500)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('row', { name: /Imported 2,500 contacts/ }).waitFor()
})

test('a column can name the organization of each row, and the list of organizations links to the import', async () => {
  await page.goto('/organizations')
  await page.getByRole('link', { name: 'Import contacts' }).click()
  await give('all.csv', `Company,Name,Phone\n${org.name},Olga,1\nNobody Inc,Nora,2\n`)
  await page.getByRole('radio', { name: 'Each row names its organization' }).isChecked()
  await button('Preview').click()
  await rows().getByText('Unknown organization').waitFor()
  await rows().getByText('Column “Company”: there is no “Nobody Inc”').waitFor()
  await look(page, 'contact-import-by-column')
  // Rows not imported yet make the page ask before it is left.
  await page.getByRole('link', { name: 'Organizations' }).first().click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
  await button('Import 1 row').click()
  await page.getByText('Import finished.').waitFor()
})

test('names that match none or several are resolved for all rows at once, and a bad row is corrected in place', async () => {
  const twins = seedOrganizations(company.db, 2, { slugs: 'twin' })
  const [, twin] = twins as [SeededOrganization, SeededOrganization]
  for (const { id } of twins)
    company.db.run(q.updateTable('organizations').set({ name: 'Contoso' }).where('id', '=', id))
  const [near] = seedOrganizations(company.db, 1, { slugs: 'near' })
  company.db.run(
    q
      .updateTable('organizations')
      .set({ name: 'Nordwind GmbH' })
      .where('id', '=', near?.id ?? ''),
  )
  await page.goto('/contacts/import')
  const file = [
    'Company;Site/Location;Name;Mail;Notes',
    'Contoso;;Anna;anna@twin.test;x',
    ';;;;',
    'Contoso;Basement;Bert;nobody;',
    'Contoso;Basement;Carla;carla@twin.test;',
    'Contoso;;Carl;CARLA@twin.test;',
    'Contoso;Attic;Dora;dora@twin.test;',
    'Nordwind;;"Quist, Ella";ella@near.test;"Prefers mail\nCall after nine"',
  ].join('\n')
  await give('twins.csv', file)
  await page.getByText('6 rows and 1 blank row, which is skipped').waitFor()
  await page.getByLabel('Turn “Quist, Ella” into “Ella Quist”').check()
  await look(page, 'contact-import-names')
  await button('Preview').click()
  await page.getByRole('combobox', { name: '“Contoso”: 5 rows' }).click()
  await chooseOption(page.getByRole('option', { name: 'Contoso twin-2, 6 devices' }))
  await page.getByRole('combobox', { name: '“Attic” at Contoso: 1 row' }).waitFor()
  await button('Use “Nordwind GmbH”').click()
  await button('Use no site for these 3 rows').click()
  await page.getByRole('combobox', { name: '“Attic” at Contoso: 1 row' }).click()
  await chooseOption(page.getByRole('option', { name: 'Branch' }))
  await page.getByText('Needs fixing: 1').click()
  const edit = button('Edit row 4')
  await edit.press('Enter')
  // Editing starts at the faulty field.
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('bert@twin.test')
  await look(page, 'contact-import-mending')
  await page.keyboard.press('Enter')
  await rows().getByText('New contact').waitFor()
  expect(await edit.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.getByText('All rows: 6').click()
  await rows().getByText('Column “Mail”: row 5 has the same address').waitFor()
  await page.getByText('1 row not imported, 1 blank row skipped').waitFor()
  await button('Import 5 rows').click()
  await page.getByText('Import finished.').waitFor()
  await page.getByText('Imported: 5').waitFor()
  const links = page.getByRole('main').getByRole('listitem').getByRole('link')
  expect((await links.allInnerTexts()).toSorted()).toEqual(['Contoso', 'Nordwind GmbH'])
  const made = contacts().filter(({ org_id }) => org_id === twin.id)
  expect(made.map(({ name, email, site_id }) => [name, email, site_id])).toEqual([
    ['Anna', 'anna@twin.test', null],
    ['Bert', 'bert@twin.test', null],
    ['Carla', 'carla@twin.test', null],
    ['Dora', 'dora@twin.test', twin.sites[2]?.id],
  ])
  expect(contacts().filter(({ org_id }) => org_id === near?.id)).toMatchObject([
    { name: 'Ella Quist', email: 'ella@near.test', notes: 'Prefers mail\nCall after nine' },
  ])
})

test('a workbook is refused with a reason, and a file can be chosen by keyboard or dropped', async () => {
  await open()
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Choose file').press('Enter')])
  await chooser.setFiles({ name: 'book.xlsx', mimeType: 'text/csv', buffer: Buffer.from('PK\u0003\u0004') })
  await page.getByText('This is a workbook. Save it as CSV first.').waitFor()
  const dataTransfer = await page.evaluateHandle(() => {
    const dropped = new DataTransfer()
    dropped.items.add(new File(['Name\tPhone\nGrace Hopper\t12'], 'list.tsv'))
    return dropped
  })
  await page.getByRole('region', { name: 'File' }).dispatchEvent('drop', { dataTransfer })
  await page.getByText('list.tsv: 1 row.').waitFor()
  await page.getByText('No contact ID column.').waitFor()
})

test('an operator chooses the company of the organizations in the file', async () => {
  const opal = { name: 'Opal Operator', email: 'opal@northwind.test' }
  const id = await company.hire(opal)
  company.db.run(q.deleteFrom('partner_users').where('user_id', '=', id))
  company.db.run(q.updateTable('users').set({ is_platform_admin: 1 }).where('id', '=', id))
  const other = await company.signIn(opal.email)
  const preview = other.getByRole('button', { name: 'Preview', exact: true })
  await other.goto('/contacts/import')
  await other.getByLabel('Or paste rows').fill(`Company,Name\n${org.name},Oskar`)
  await other.getByRole('button', { name: 'Use these rows' }).click()
  await other.getByText('Choose the company.').waitFor()
  await other.getByRole('combobox', { name: 'Company', exact: true }).click()
  await chooseOption(other.getByRole('option', { name: 'Northwind Traders' }))
  await preview.click()
  await other.getByText(org.name, { exact: true }).last().waitFor()
  // Within one organization there is no company to choose.
  await other.getByRole('button', { name: 'Back', exact: true }).click()
  await other.getByRole('radio', { name: 'One organization' }).check()
  await other.getByRole('combobox', { name: 'Organization', exact: true }).fill('lantern')
  await chooseOption(other.getByRole('option', { name: 'Lantern Logistics 2' }))
  await preview.click()
  await other.getByRole('button', { name: 'Import 1 row' }).click()
  await other.getByText('Import finished.').waitFor()
  const oskar = company.db.first(q.selectFrom('contacts').select('org_id').where('name', '=', 'Oskar'))
  expect(oskar?.org_id).not.toBe(org.id)
  await leave(other)
})
