import { TextInput } from '@mantine/core'
import type { Partner } from '../../../shared/api/partners.ts'
import { namingRules } from '../../domain/tenants/slug.ts'
import { looksLikeEmail } from '../../lib/looks-like-email.ts'
import { SettingsFormPanel } from './settings-form-panel.tsx'
import { useSettingsForm } from './use-settings-form.ts'

const valuesOf = ({ name, billingEmail }: Partner) => ({ name, billingEmail: billingEmail ?? '' })

export function IdentityPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const panel = useSettingsForm({
    partner,
    valuesOf,
    validate: {
      name: namingRules(partner).name,
      billingEmail: (email) => (!email.trim() || looksLikeEmail(email) ? null : 'Enter an email address'),
    },
    changeOf: ({ billingEmail, ...changes }) => ({
      ...changes,
      ...(billingEmail !== undefined && { billingEmail: billingEmail.trim() || null }),
    }),
    done: 'Company saved',
  })
  const { form } = panel
  return (
    <SettingsFormPanel title="Company" form={panel} isEditable={isEditable}>
      <TextInput
        label="Company name"
        description="Shown at the top of every page and in emails."
        maxLength={255}
        readOnly={!isEditable}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Billing email"
        type="email"
        maxLength={255}
        readOnly={!isEditable}
        {...form.getInputProps('billingEmail')}
      />
    </SettingsFormPanel>
  )
}
