import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn, mailToFiles, writtenMails } from '../helpers/mail.ts'
import { ada, type Company, startCompany } from './company.ts'
import { look } from './look.ts'
import { chooseOption } from './select.ts'

/** An appliance that writes its mail to files: nothing is called sent, and links come another way. */

const ina = { name: 'Ina Invited', email: 'ina@northwind.test' }
let company: Company
let page: Page

beforeAll(async () => {
  company = await startCompany(mailToFiles)
  page = await company.signIn(ada.email)
})

afterAll(async () => {
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('an invitation shows the inviter a link to share, other than the one in the file', async () => {
  await page.getByRole('link', { name: 'People' }).click()
  await button('Invite person').click()
  const form = page.getByRole('dialog', { name: 'Invite person' })
  await form.getByText('Email is written to files and not sent. You’ll get a link to share.').waitFor()
  await form.getByRole('link', { name: 'View mail settings' }).waitFor()
  await form.getByLabel('Email', { exact: true }).fill(ina.email)
  await form.getByLabel('Name', { exact: true }).fill(ina.name)
  await form.getByRole('combobox', { name: 'Role' }).click()
  await chooseOption(page.getByRole('option', { name: /^Viewer/ }))
  await form.getByLabel('All organizations').check()
  await look(page, 'people-invite-to-file')
  await button('Invite').click()
  const told = page.getByRole('dialog', { name: 'Ina Invited was invited' })
  await told.getByText('This appliance writes mail to files instead of sending it.').waitFor()
  await look(page, 'people-invited-to-file')
  const shown = (await told.getByLabel('Invitation link').textContent()) ?? ''
  await expect.poll(() => writtenMails(company.dataDir)).toMatchObject([{ kind: 'invitation', to: ina.email }])
  const [written] = writtenMails(company.dataDir).map((mail) => linkIn(mail).href)
  expect(shown).toContain('/accept-invite?token=')
  expect(shown).not.toBe(written)
  await button('Done').click()
})

test('the list of mail says where each was written, and the settings name the folder', async () => {
  await page.goto('/system/mail')
  const row = page.getByRole('row', { name: new RegExp(ina.email) })
  await row.getByText('Written to file').waitFor()
  await row.getByText(join(company.dataDir, 'mail')).waitFor()
  expect(await page.getByText('Sent', { exact: true }).count()).toBe(0)
  await look(page, 'messages-to-files')
  await page.getByRole('link', { name: 'Where they are' }).click()
  await page.getByText(join(company.dataDir, 'mail'), { exact: true }).waitFor()
  await button('Write test email').click()
  await page.getByText(`Written to ${join(company.dataDir, 'mail')}`).waitFor()
  await look(page, 'messages-test-to-file')
  expect(await page.getByText('The mail server accepted it').count()).toBe(0)
})

test('no page reports a script error', () => {
  expect(company.complaints).toEqual([])
})
