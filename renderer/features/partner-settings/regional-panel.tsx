import { Select } from '@mantine/core'
import type { Partner } from '../../../shared/api/partners.ts'
import { type DateFormat, dateFormat, type TimeFormat } from '../../../shared/fields.ts'
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx'
import { settingOf } from './settings.ts'
import { SettingsFormPanel } from './settings-form-panel.tsx'
import { useSettingsForm } from './use-settings-form.ts'

const examples: Record<DateFormat, string> = {
  'DD/MM/YYYY': '31/12/2026, day first',
  'MM/DD/YYYY': '12/31/2026, month first',
  'YYYY-MM-DD': '2026-12-31, year first',
}
const dateFormats = dateFormat.options.map((value) => ({ value, label: examples[value] }))
const timeFormats: { value: TimeFormat; label: string }[] = [
  { value: '24h', label: '17:30' },
  { value: '12h', label: '5:30 PM' },
]

const unset = '' as const

const valuesOf = (partner: Partner) => ({
  timezone: partner.timezone,
  dateFormat: settingOf(partner, 'dateFormat') ?? unset,
  timeFormat: settingOf(partner, 'timeFormat') ?? unset,
})

/** What applies until a format is chosen; then there is no way back to it. */
const unsetIn = (partner: Partner, setting: 'dateFormat' | 'timeFormat') =>
  settingOf(partner, setting) ? [] : [{ value: unset, label: 'As in each person’s browser' }]

export function RegionalPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const panel = useSettingsForm({
    partner,
    valuesOf,
    changeOf: ({ dateFormat, timeFormat, ...changes }) => ({
      settings: { ...changes, ...(dateFormat && { dateFormat }), ...(timeFormat && { timeFormat }) },
    }),
    done: 'Date and time saved',
  })
  const { form } = panel
  const choice = { allowDeselect: false, readOnly: !isEditable }
  return (
    <SettingsFormPanel title="Date and time" form={panel} isEditable={isEditable}>
      <TimeZoneSelect
        label="Time zone"
        description="Used for business hours, and preselected for new sites."
        readOnly={!isEditable}
        {...form.getInputProps('timezone')}
      />
      <Select
        label="Date format"
        data={[...unsetIn(partner, 'dateFormat'), ...dateFormats]}
        {...choice}
        {...form.getInputProps('dateFormat')}
      />
      <Select
        label="Time format"
        description="People can choose another one in their profile."
        data={[...unsetIn(partner, 'timeFormat'), ...timeFormats]}
        {...choice}
        {...form.getInputProps('timeFormat')}
      />
    </SettingsFormPanel>
  )
}
