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
      billingEmail: (email) => (!email.trim() || looksLikeEmail(email) ? null : 'Enter an e-mail address'),
    },
    changeOf: ({ billingEmail, ...changes }) => ({
      ...changes,
      ...(billingEmail !== undefined && { billingEmail: billingEmail.trim() || null }),
    }),
    done: 'The company is saved',
  })
  const { form } = panel
  return (
    <SettingsFormPanel title="Company" form={panel} isEditable={isEditable}>
      <TextInput
        label="Name of the company"
        description="It stands above every page and in mail."
        maxLength={255}
        readOnly={!isEditable}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="E-mail for invoices"
        type="email"
        maxLength={255}
        readOnly={!isEditable}
        {...form.getInputProps('billingEmail')}
      />
    </SettingsFormPanel>
  )
}
