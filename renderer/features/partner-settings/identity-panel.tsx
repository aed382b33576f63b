import { TextInput } from '@mantine/core'
import type { Partner } from '../../../shared/api/partners.ts'
import { namingRules } from '../../domain/tenants/slug.ts'
import { looksLikeMail } from '../../lib/looks-like-email.ts'
import { FormPanel } from './settings-form-panel.tsx'
import { useCompanyForm } from './use-settings-form.ts'

const valuesOf = ({ name, billingEmail }: Partner) => ({ name, billingEmail: billingEmail ?? '' })

export function IdentityPanel({ company, isEditable }: { company: Partner; isEditable: boolean }) {
  const panel = useCompanyForm({
    company,
    valuesOf,
    validate: {
      name: namingRules(company).name,
      billingEmail: (email) => (!email.trim() || looksLikeMail(email) ? null : 'Enter an e-mail address'),
    },
    changeOf: ({ billingEmail, ...changes }) => ({
      ...changes,
      ...(billingEmail !== undefined && { billingEmail: billingEmail.trim() || null }),
    }),
    done: 'The company is saved',
  })
  const { form } = panel
  return (
    <FormPanel title="Company" form={panel} isEditable={isEditable}>
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
    </FormPanel>
  )
}
