import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ApiKey } from '../../../shared/api/api-keys.ts'
import { changeApiKey } from '../../data/api-keys.ts'
import { notifyDone } from '../../lib/notify.ts'
import { inRange } from '../../lib/number-range.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { RateLimitField, rateLimitRange } from './rate-limit-field.tsx'
import { ScopeField } from './scope-field.tsx'

export function EditForm({ apiKey, onDone }: { apiKey: ApiKey; onDone: () => void }) {
  const { id, name, scopes, rateLimit } = apiKey
  const form = useForm({
    initialValues: { name, scopes, rateLimit: rateLimit as number | string },
    validate: { name: (name) => (name.trim() ? null : 'Enter a name'), rateLimit: inRange(rateLimitRange) },
  })
  const change = changeApiKey(id)
  const saving = useFormSubmission(form, {
    mutationFn: ({ name, scopes, rateLimit }) =>
      change.mutationFn({ name: name.trim(), scopes, rateLimit: Number(rateLimit) }),
    onSuccess: async () => {
      onDone()
      notifyDone('API key saved')
      await change.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Save">
      <TextInput label="Name" data-autofocus maxLength={255} autoComplete="off" {...form.getInputProps('name')} />
      <ScopeField held={scopes} {...form.getInputProps('scopes')} />
      <RateLimitField {...form.getInputProps('rateLimit')} />
    </DialogForm>
  )
}
