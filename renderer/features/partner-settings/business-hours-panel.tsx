import { Radio, Stack } from '@mantine/core'
import type { Partner } from '../../../shared/api/partners.ts'
import { hoursOf, hoursProblem, presets } from './business-hours.ts'
import { SettingsFormPanel } from './settings-form-panel.tsx'
import { useSettingsForm } from './use-settings-form.ts'
import { WeekFields } from './week-fields.tsx'

const valuesOf = (partner: Partner) => ({ businessHours: hoursOf(partner) })

export function BusinessHoursPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const panel = useSettingsForm({
    partner,
    valuesOf,
    validate: {
      businessHours: {
        custom: (week, { businessHours }) =>
          businessHours.preset === 'custom' && Object.values(week).some(hoursProblem)
            ? 'Some days need attention.'
            : null,
      },
    },
    // Preset and week are saved together, even if only one changed.
    changeOf: (_, { businessHours: { preset, custom } }) => ({
      settings: { businessHours: { ...(preset && { preset }), ...(preset === 'custom' && { custom }) } },
    }),
    done: 'Business hours saved',
  })
  const { form } = panel
  const { preset, custom } = form.values.businessHours
  return (
    <SettingsFormPanel title="Business hours" form={panel} isEditable={isEditable}>
      <Radio.Group
        label="When the company is open"
        description={!preset && 'Not chosen yet.'}
        readOnly={!isEditable}
        {...form.getInputProps('businessHours.preset')}
      >
        <Stack gap="xs" mt={6}>
          {presets.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {preset === 'custom' && (
        <WeekFields
          week={custom}
          isEditable={isEditable}
          areProblemsShown={Boolean(form.errors['businessHours.custom'])}
          onChange={(week) => form.setFieldValue('businessHours.custom', week)}
        />
      )}
    </SettingsFormPanel>
  )
}
