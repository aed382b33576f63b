import { TagsInput } from '@mantine/core'
import { maxNotifiedAddresses } from '../../../shared/backup-plan.ts'
import type { PlanFieldProps } from './what-fields.tsx'

/** Who is mailed about backups that go wrong. */
export function NotifyField({ draft: { emails }, errors, onChange }: PlanFieldProps) {
  return (
    <TagsInput
      label="Email problems to"
      description="Optional. Each morning if something is wrong, and immediately when a device misses two in a row."
      placeholder={emails.length === 0 ? 'ops@example.com' : ''}
      inputMode="email"
      acceptValueOnBlur
      splitChars={[',', ';', ' ']}
      maxTags={maxNotifiedAddresses}
      error={errors.emails}
      value={emails}
      onChange={(next) => onChange({ emails: next })}
    />
  )
}
