import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { AgentSocket } from '../helpers/fake-device.ts'
import { connectNewDevice } from './backup-kit.ts'
import { ada, type Company, startCompany } from './company.ts'
import { leave } from './context.ts'
import { look } from './look.ts'
import { noticeAppears } from './notices.ts'
import { chooseOption } from './select.ts'
import { type SeededOrganization, seedOrganizations } from './tenants.ts'

/** Backups in the console, from nothing to a snapshot. */

let company: Company
let page: Page
let org: SeededOrganization
let socket: AgentSocket

beforeAll(async () => {
  company = await startCompany({ ENABLE_2FA: 'false' })
  ;[org] = seedOrganizations(company.db, 1, { sites: 1 }) as [SeededOrganization]
  socket = (await connectNewDevice(company, org, 'till-1')).socket
  page = await company.signIn(ada.email, null)
})

afterAll(async () => {
  expect(company?.complaints).toEqual([])
  await socket?.close()
  await company?.[Symbol.asyncDispose]()
})

const button = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true })
const dialog = (name: string | RegExp, on = page) => on.getByRole('dialog', { name })
const row = (name: string, on = page) => on.getByRole('row').filter({ hasText: name })
const count = (table: 'backup_configs' | 'configuration_policies' | 'backup_jobs') =>
  company.db.one(q.selectFrom(table).select((select) => select.fn.countAll<number>().as('total'))).total
const openPage = (name: string, on = page) =>
  on.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()

/** The agent gets its order, and answers. */
async function ordered(after: readonly string[] = []) {
  const frame = await socket.frame(({ type, id }) => type === 'backup_run' && !after.includes(String(id)))
  return String(frame.id)
}
const progress = (commandId: string, part: number) =>
  socket.send({
    type: 'backup_progress',
    commandId,
    progress: {
      phase: 'uploading',
      current: part * 10_485_760,
      total: 10_485_760,
      filesDone: part * 40,
      filesTotal: 40,
      currentFile: '/home/grace/Ledger.ods',
    },
  })

test('protect, back up now, watch it run, and read what was not read', async () => {
  await page.goto('/backup/protection')
  await page.getByText('Nothing is protected yet').waitFor()
  await look(page, 'backup-nothing-protected')
  await button('Protect devices').first().click()
  const wizard = dialog('Protect devices')
  await wizard.getByRole('radio', { name: `All devices of ${org.name} (3), future ones too` }).waitFor()
  await look(page, 'backup-protect-what')
  await wizard.getByRole('radio', { name: 'Custom' }).check()
  await button('Continue').click()
  await wizard.getByText('Name at least one folder or file').waitFor()
  await wizard.getByRole('radio', { name: 'People’s files' }).check()
  await button('Continue').click()
  await wizard.getByText(/^Runs every day at /).waitFor()
  await page.keyboard.press('Tab')
  await button('Continue').click()
  // Seven days, and today’s if it is a Sunday or ends a month.
  await wizard.getByText(/7 snapshots, the oldest 6 days old|8 snapshots, the oldest 7 days old/).waitFor()
  await look(page, 'backup-protect-keep')
  await button('Continue').click()
  await wizard.getByText(/become(s)? the default storage/).waitFor()
  await look(page, 'backup-protect-where')

  // The third of four calls fails: what the first two made is taken back.
  await page.route('**/configuration-policies/*/assignments', (route) =>
    route.fulfill({ status: 500, json: { error: 'Internal error', code: 'internal_error' } }),
  )
  await button('Protect 3 devices').click()
  await wizard.getByText('Nothing was protected').waitFor()
  await expect.poll(() => [count('backup_configs'), count('configuration_policies')]).toEqual([0, 0])
  await page.unroute('**/configuration-policies/*/assignments')
  await button('Protect 3 devices').click()
  await wizard.getByRole('heading', { name: '3 devices are protected' }).waitFor()
  const policy = company.db.one(q.selectFrom('configuration_policies').select(['name', 'status']))
  expect(policy).toEqual({ name: `People’s files, ${org.name}`, status: 'active' })

  await button('Back up now').click()
  await wizard.getByText('1 backup was started.').waitFor()
  await wizard.getByText('2 devices are offline.').waitFor()
  await look(page, 'backup-protected')
  const first = await ordered()
  await wizard.getByRole('link', { name: 'Show jobs' }).click()
  progress(first, 0.25)
  await row('till-1')
    .getByText(/^Running, 25 %/)
    .waitFor()
  await look(page, 'backup-jobs')
  await row('till-1').getByRole('link').click()
  await page.getByRole('heading', { name: 'Backup of till-1' }).waitFor()
  progress(first, 0.5)
  await page.getByText(/^5 MB of 10 MB, 20 of 40 files/).waitFor()
  await page.getByText('/home/grace/Ledger.ods').waitFor()

  const result = {
    status: 'partial',
    snapshotId: 'ab'.repeat(32),
    filesBackedUp: 39,
    bytesBackedUp: 10_000_000,
    errorCount: 1,
    failedFiles: [{ path: '/home/grace/Ledger.ods', error: 'access denied' }],
    warning: '1 files or folders could not be read',
  }
  socket.send({ type: 'command_result', commandId: first, status: 'completed', result })
  await page.getByText('a part of what was wanted is missing').waitFor()
  await page.getByRole('cell', { name: '/home/grace/Ledger.ods' }).waitFor()
  await page.getByText('access denied').waitFor()
  await look(page, 'backup-incomplete')

  // Left and found again, and canceled.
  const shown = page.url()
  await button('Back up now').click()
  await noticeAppears(page, 'Backup of till-1 requested')
  // The page of the new one.
  await button('Cancel backup').waitFor()
  expect(page.url()).not.toBe(shown)
  await openPage('Home')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const second = await ordered([first])
  await openPage('Jobs')
  await page
    .getByRole('row')
    .nth(1)
    .getByText(/^Running/)
    .waitFor()
  await page.getByRole('row').nth(1).getByRole('link').click()
  await button('Cancel backup').click()
  await dialog('Cancel the backup of till-1?').getByRole('button', { name: 'Cancel backup' }).click()
  await page.getByText('Canceled', { exact: true }).waitFor()
  await socket.frame(({ type, id }) => type === 'backup_stop' && id === `backup-stop-${second}`)

  await page.getByRole('link', { name: 'till-1' }).click()
  await page.getByText(/^Protected by “People’s files/).waitFor()
  await button('Why?').click()
  await page.getByText('– Applies').waitFor()
  await look(page, 'backup-device')
})

test('storage: secrets are said to be stored and stay, and what policies need is not deleted', async () => {
  await openPage('Storage')
  await row('Appliance').getByText('Default').waitFor()
  await button('Add storage').click()
  const form = dialog('Add storage')
  await form.getByRole('textbox', { name: 'Bucket' }).fill('northwind')
  await form.getByRole('button', { name: 'Add storage' }).click()
  await form.getByText('Enter it').first().waitFor()
  await form.getByRole('textbox', { name: 'Region' }).fill('eu-central-1')
  await form.getByLabel('Access key', { exact: true }).fill('AKIASAMPLE')
  await form.getByLabel('Secret key', { exact: true }).fill('very-secret')
  await form.getByRole('textbox', { name: 'Name' }).fill('Offsite')
  await look(page, 'backup-storage-s3')
  await form.getByRole('button', { name: 'Add storage' }).click()
  await noticeAppears(page, 'Offsite was added')
  // There is no such storage, which is found out without being asked.
  await noticeAppears(page, 'Offsite can’t be used yet')
  await row('Offsite').click()
  const edit = dialog('Offsite')
  expect(await edit.getByText('Stored', { exact: true }).count()).toBe(2)
  expect(await page.content()).not.toContain('very-secret')
  await button('Replace Secret key').click()
  await edit.getByLabel('Secret key', { exact: true }).fill('another')
  await button('Keep the stored one').click()
  await edit.getByRole('textbox', { name: 'Folder in it' }).fill('office')
  await look(page, 'backup-storage-edit')
  const saved = page.waitForRequest((request) => request.method() === 'PATCH')
  await button('Save').click()
  expect((await saved).postDataJSON().details).toEqual({
    bucket: 'northwind',
    region: 'eu-central-1',
    prefix: 'office',
  })
  await row('northwind/office at Amazon, eu-central-1').waitFor()

  await button('Actions for Appliance').click()
  await page.getByRole('menuitem', { name: 'Test', exact: true }).click()
  const tested = dialog('Test Appliance')
  await tested.getByText(/Backups can go there\. .+ are free\./).waitFor()
  await look(page, 'backup-storage-test')
  await tested.getByRole('button', { name: 'Done' }).click()

  await button('Actions for Appliance').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await button('Delete storage').click()
  await dialog('Delete Appliance?').getByText('Policies back up to this storage').waitFor()
  await button('Cancel').click()
  expect(count('backup_configs')).toBe(2)
  await look(page, 'backup-storage')
})

test('a policy is changed, assigned and turned off by experts', async () => {
  await openPage('Protection')
  await button('Actions for People’s files, Harbour Logistics 1').click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const edit = dialog(/^Edit People’s files/)
  await edit.getByText('Weekly', { exact: true }).click()
  await edit.getByText('For 90 days').waitFor()
  await look(page, 'backup-policy')
  await edit.getByRole('textbox', { name: 'Name' }).fill('Weekly files')
  await button('Save').click()
  await noticeAppears(page, 'Weekly files was saved')
  await row('Weekly files')
    .getByText(/^Every Saturday at/)
    .waitFor()
  await row('Weekly files').getByText('Kept for 90 days').waitFor()
  await button('Actions for Weekly files').click()
  await page.getByRole('menuitem', { name: 'Devices…' }).click()
  const devices = dialog('Devices of Weekly files')
  await devices.getByRole('button', { name: `End the assignment to All of ${org.name}` }).click()
  await devices.getByText('Assigned to no devices yet.').waitFor()
  await devices.getByRole('radio', { name: 'Selected devices' }).check()
  await devices.getByRole('combobox', { name: 'Devices to protect' }).fill('till')
  await chooseOption(page.getByRole('option', { name: 'till-1' }))
  // The list of devices covers the button while the field has the focus.
  await page.keyboard.press('Tab')
  await devices.getByRole('button', { name: 'Assign', exact: true }).click()
  await devices.getByRole('button', { name: 'End the assignment to till-1' }).waitFor()
  await look(page, 'backup-assignments')
  await page.keyboard.press('Escape')
  await button('Actions for Weekly files').click()
  await page.getByRole('menuitem', { name: 'Turn off…' }).click()
  await button('Turn off').click()
  await row('Weekly files').getByText('Off', { exact: true }).waitFor()
})

test('a profile is made, used by a policy, and not deleted while it is', async () => {
  await openPage('Protection')
  await page.getByRole('tab', { name: 'Profiles' }).click()
  await page.getByText('No profiles').waitFor()
  await button('New profile').click()
  const form = dialog('New profile')
  await form.getByRole('textbox', { name: 'Name' }).fill('Till computers')
  await form.getByRole('checkbox', { name: 'Files' }).uncheck()
  await button('Create profile').click()
  await form.getByText('Choose at least one').waitFor()
  await form.getByRole('checkbox', { name: 'Files' }).check()
  await form.getByRole('textbox', { name: 'Folders and files' }).fill('/srv/till\n/etc')
  await form.getByRole('checkbox', { name: 'Whole system' }).check()
  await look(page, 'backup-profile-new')
  await button('Create profile').click()
  await row('Till computers').getByText('Files and the whole system').waitFor()
  await look(page, 'backup-profiles')

  await page.getByRole('tab', { name: 'Policies' }).click()
  await row('Weekly files').click()
  const edit = dialog('Edit Weekly files')
  await edit.getByRole('radio', { name: 'A profile' }).check()
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit.getByText('Choose a profile').waitFor()
  await edit.getByRole('combobox', { name: 'Profile' }).click()
  await chooseOption(page.getByRole('option', { name: 'Till computers' }))
  await look(page, 'backup-policy-profile')
  await edit.getByRole('button', { name: 'Save' }).click()
  await row('Weekly files').getByText('Profile “Till computers”').waitFor()

  await page.getByRole('tab', { name: 'Profiles' }).click()
  await button('Actions for Till computers').click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await button('Delete profile').click()
  await dialog('Delete Till computers?')
    .getByText(/Policies use this backup profile: Weekly files/)
    .waitFor()
  await button('Cancel').click()
  expect(company.db.all(q.selectFrom('backup_profiles').select('name'))).toEqual([{ name: 'Till computers' }])
})

test('who may only read sees backups without buttons', async () => {
  await company.hire({ name: 'Vera Viewer', email: 'vera@northwind.test', role: 'Partner Viewer' })
  const viewer = await company.signIn('vera@northwind.test', '/backup/jobs')
  await row('till-1', viewer).first().waitFor()
  for (const name of ['Back up all', 'Protect devices']) expect(await button(name, viewer).count()).toBe(0)
  await row('till-1', viewer).first().getByRole('link').click()
  await viewer.getByRole('heading', { name: 'Backup of till-1' }).waitFor()
  for (const name of ['Back up now', 'Cancel backup']) expect(await button(name, viewer).count()).toBe(0)
  await viewer.goto('/backup/storage')
  await viewer.getByText('You don’t have access to this page').waitFor()
  await viewer.goto('/?dialog=protect')
  await viewer.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  expect(await dialog('Protect devices', viewer).count()).toBe(0)
  await leave(viewer)
})
