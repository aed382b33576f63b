import type { Updateable } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import type { Tables } from '../../server/tables.ts'
import { makeSigner, serveReleases } from '../helpers/release.ts'
import { ada, startCompany } from './company.ts'
import { look } from './look.ts'
import { openFromSettings } from './navigation.ts'
import { noticeAppears } from './notices.ts'
import { seedOrganizations } from './tenants.ts'

/** Two computers with Linux, one of which has restic, and a Mac. */
function seedDevices(db: Database): void {
  const [office, warehouse] = seedOrganizations(db, 1, { sites: 2 })[0]?.sites ?? []
  const set = (id: string | undefined, values: Updateable<Tables['devices']>) =>
    db.run(
      q
        .updateTable('devices')
        .set(values)
        .where('id', '=', id ?? ''),
    )
  const linux = { os_type: 'linux', architecture: 'amd64' } as const
  set(office?.deviceIds[0], { ...linux, backup_version: 'restic/0.16.4' })
  set(office?.deviceIds[1], linux)
  set(warehouse?.deviceIds[0], { os_type: 'macos', architecture: 'arm64' })
  set(warehouse?.deviceIds[1], { status: 'decommissioned' })
}

test('an administrator sees which devices lack restic, downloads a release, uploads another and removes one', async () => {
  const signer = await makeSigner()
  const host = await serveReleases('0.18.0', await signer.release('0.18.0', ['linux-amd64', 'windows-amd64']))
  const env = {
    RESTIC_PATH: '/nowhere/restic',
    RESTIC_RELEASES_URL: host.address,
    OUTBOUND_ALLOWED_CIDRS: '127.0.0.1',
  }
  await using company = await startCompany(env, undefined, signer.publicKey)
  seedDevices(company.db)
  const page = await company.signIn(ada.email)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const row = (name: string | RegExp) => page.getByRole('table', { name: 'Platforms' }).getByRole('row', { name })

  await openFromSettings(page, 'Appliance')
  await page.getByRole('tab', { name: 'Backup engine' }).click()
  await row(/^Linux amd64 None .* 2 1$/).waitFor()
  await row(/^macOS arm64 None .* 1 1$/).waitFor()
  await page.getByText('The appliance itself has none.').waitFor()
  const lacking = page.getByRole('table', { name: 'Devices without restic' })
  await lacking.getByRole('row', { name: /^warehouse-pc-1 .* No restic for this platform$/ }).waitFor()
  await look(page, 'backup-engine-none')

  await button('Download release…').click()
  const download = page.getByRole('dialog', { name: 'Download restic' })
  await download.getByText('Linux amd64').waitFor()
  await look(page, 'backup-engine-download')
  await download.getByRole('button', { name: 'Download', exact: true }).click()
  // The release has nothing for macOS.
  await page.getByText('has no file restic_0.18.0_darwin_arm64.bz2 of version 0.18.0').waitFor()
  await look(page, 'backup-engine-failed')
  await button('Close').click()
  await page.getByText('wasn’t downloaded').waitFor({ state: 'detached' })
  await button('Download release…').click()
  await download.getByRole('button', { name: 'Remove macOS arm64' }).click()
  await download.getByRole('button', { name: 'Download', exact: true }).click()
  await page.getByText('Downloaded restic 0.18.0').waitFor()
  await row(/^Linux amd64 0\.18\.0 .* Downloaded .* Release signature .* 2 1/).waitFor()
  await lacking.getByRole('row', { name: /^head-office-pc-2 .* Not downloaded yet/ }).waitFor()

  await button('Upload files…').click()
  const upload = page.getByRole('dialog', { name: 'Upload restic' })
  const release = await signer.release('0.18.1', ['linux-amd64'])
  const files = (except?: string) =>
    [...release].flatMap(([name, buffer]) =>
      name === except ? [] : { name, buffer, mimeType: 'application/octet-stream' },
    )
  const choose = upload.getByLabel('Files of the release')
  await choose.setInputFiles(files('SHA256SUMS.asc'))
  await upload.getByRole('button', { name: 'Upload', exact: true }).click()
  await upload.getByText('Select SHA256SUMS, SHA256SUMS.asc and at least one file').waitFor()
  await look(page, 'backup-engine-upload')
  await choose.setInputFiles(files())
  await upload.getByRole('button', { name: 'Upload', exact: true }).click()
  await noticeAppears(page, 'Added restic for 1 platform')
  await row(/^Linux amd64 0\.18\.1 .* Uploaded/).waitFor()
  await row(/^Linux amd64 0\.18\.0 .* replaced by a newer one/).waitFor()
  await look(page, 'backup-engine')

  await button('Actions for restic 0.18.0 for Linux amd64').click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await button('Remove').click()
  await noticeAppears(page, 'Removed restic 0.18.0 for Linux amd64')
  await row(/replaced by a newer one/).waitFor({ state: 'detached' })
  expect(company.complaints).toEqual([])
})
