import { expect, test } from 'vitest'
import { backupLinkSettings } from '../../../shared/backup-plan.ts'
import { userFolders } from '../../../shared/device/backup-places.ts'
import {
  keepErrors,
  newPlan,
  notifyErrors,
  type PlanDraft,
  pathErrors,
  planOf,
  settingsOf,
  whatErrors,
  whenErrors,
} from './plan-draft.ts'

const draft = (change: Partial<PlanDraft>): PlanDraft => ({ ...newPlan, ...change })
const link = (inlineSettings: Record<string, unknown>) => ({ inlineSettings, featurePolicyId: null })

test('every draft is what the server takes, and is the same when it is read again', () => {
  const drafts = [
    newPlan,
    draft({ what: 'system', frequency: 'weekly', dayOfWeek: 0 }),
    draft({ what: 'custom', paths: ' /srv \n\nC:\\Data', frequency: 'monthly', dayOfMonth: 3, timezone: 'Asia/Tokyo' }),
    draft({ frequency: 'never', bandwidth: 20, storageId: '018f2f4e-0000-7000-8000-000000000000' }),
    draft({ lock: 'provider', lockDays: 30 }),
    draft({ emails: ['ops@acme.test', 'boss@acme.test'] }),
    draft({ windowStart: '22:00', windowEnd: '04:00', leftOut: '*.tmp', what: 'custom', paths: '/srv' }),
  ]
  for (const one of drafts) {
    const settings = settingsOf(one)
    expect(backupLinkSettings.safeParse(settings).error).toBeUndefined()
    expect(settingsOf(planOf(link(settings)))).toEqual(settings)
  }
})

test('what is usually left out is left to the agent, and one’s own list is sent', () => {
  expect(settingsOf(newPlan)).toMatchObject({ targets: { paths: [userFolders] } })
  const own = draft({ what: 'custom', paths: '/srv' })
  expect(settingsOf(own).targets).toEqual({ paths: ['/srv'] })
  expect(settingsOf({ ...own, leftOut: '' }).targets).toEqual({ paths: ['/srv'], excludes: [] })
})

test('what the form does not show stays as it was', () => {
  const former = {
    backupMode: 'database',
    targets: { backupType: 'log' },
    schedule: { frequency: 'daily', time: '01:00' },
    retention: { preset: 'standard', legalHold: true, legalHoldReason: 'Court', maxVersions: 9 },
  }
  const read = planOf(link(former))
  expect(read.what).toBe('other')
  expect(settingsOf({ ...read, time: '03:00' }, former)).toMatchObject({
    ...former,
    schedule: { frequency: 'daily', time: '03:00' },
  })
  // What was taken away does not come back.
  expect(settingsOf({ ...read, frequency: 'never' }, former)).not.toHaveProperty('schedule')
})

test('a policy changes from a profile to folders of its own, and back', () => {
  const profileId = '018f2f4e-0000-7000-8000-000000000000'
  const withProfile = { inlineSettings: settingsOf(draft({ what: 'profile', profileId })), featurePolicyId: profileId }
  expect(withProfile.inlineSettings).not.toHaveProperty('targets')
  const read = planOf(withProfile)
  expect(read).toMatchObject({ what: 'profile', profileId })
  const own = settingsOf({ ...read, what: 'system' }, withProfile.inlineSettings)
  expect(own).toMatchObject({ backupMode: 'system_image' })
  expect(settingsOf({ ...planOf(link(own)), what: 'profile', profileId }, own)).toEqual(withProfile.inlineSettings)
  expect(whatErrors(draft({ what: 'profile' }))).toEqual({ profileId: 'Choose a profile' })
})

test('a daily schedule that becomes weekly is made on Saturday, and a weekly one without a day on Sunday', () => {
  expect(planOf(link(settingsOf(newPlan))).dayOfWeek).toBe(6)
  expect(planOf(link({ ...settingsOf(newPlan), schedule: { frequency: 'weekly', time: '02:30' } })).dayOfWeek).toBe(0)
})

test('a policy that does not say how long keeps snapshots forever, and stays so when it is saved', () => {
  for (const retention of [undefined, {}, { maxVersions: 9 }]) {
    const inlineSettings = { backupMode: 'file', targets: { paths: ['/srv'] }, ...(retention && { retention }) }
    const plan = planOf({ inlineSettings, featurePolicyId: null })
    expect([plan.retention.keep, keepErrors(plan)]).toEqual(['forever', {}])
    expect(settingsOf(plan, inlineSettings).retention).toEqual(retention ?? {})
  }
})

test('paths of every system and what stands for places are full paths, and no others', () => {
  const full = ['/srv/data', 'C:\\Data', 'c:/Data', '\\\\nas\\share\\docs', '{userFolders}', '{system}']
  expect(pathErrors(full)).toEqual({})
  for (const line of ['data', './data', '~/data', '%TEMP%', 'C:', '{else}'])
    expect(pathErrors([...full, line]).paths, line).toMatch(`“${line}” isn’t a full path`)
})

test('what is missing or wrong is named', () => {
  expect(whatErrors(draft({ what: 'custom' }))).toEqual({ paths: 'Name at least one folder or file' })
  expect(whatErrors(draft({ what: 'custom', paths: '/a', leftOut: '[' }))).toHaveProperty('leftOut')
  for (const paths of ['banana', '../etc', '/a\nC:', 'Users/ada'])
    expect(whatErrors(draft({ what: 'custom', paths }))).toEqual({ paths: expect.stringContaining('a full path') })
  const fine = '/srv/data\nC:\\Data\nd:/Data\n\\\\nas\\share\n{userFolders}'
  expect(whatErrors(draft({ what: 'custom', paths: fine }))).toEqual({})
  expect(whatErrors(newPlan)).toEqual({})
  expect(whenErrors(draft({ time: '' }))).toHaveProperty('time')
  expect(notifyErrors(draft({ emails: ['ops@acme.test', 'nobody'] }))).toEqual({
    emails: '“nobody” isn’t an email address',
  })
  expect(notifyErrors(draft({ emails: ['ops@acme.test'] }))).toEqual({})
  expect(whenErrors(draft({ frequency: 'monthly', dayOfMonth: 29 }))).toHaveProperty('dayOfMonth')
  expect(whenErrors(draft({ windowStart: '22:00' }))).toHaveProperty('windowEnd')
  const keeping = (own: object) =>
    keepErrors(draft({ retention: { keep: 'custom', own: { ...newPlan.retention.own, ...own } } }))
  expect(keeping({})).toEqual({})
  expect(keeping({ keepDaily: 366 })).toHaveProperty('ownNumbers')
  expect(keeping({ keepDaily: 0, keepWeekly: 0, keepMonthly: 0 })).toEqual({ ownNumbers: 'Keep at least one snapshot' })
})
