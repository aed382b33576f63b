import { useForm } from '@mantine/form'
import { useEffect, useEffectEvent } from 'react'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { changeProvider, type ProviderWarnings } from '../../data/sso-providers.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import type { PresetOption } from './presets.ts'
import { ProviderForm } from './provider-form.tsx'
import { changesOf, type ProviderValues, validationRules, valuesOf } from './provider-values.ts'
import { useSsoOwner } from './sso-owner.ts'

interface Props {
  provider: SsoProvider
  choice: PresetOption
  callbackUrl: string
  onWarnings: (warnings: ProviderWarnings) => void
}

export function EditForm({ provider, choice, callbackUrl, onWarnings }: Props) {
  const owner = useSsoOwner()
  const form = useForm<ProviderValues>({
    initialValues: valuesOf(provider),
    validate: (values) => validationRules(values, provider.type, null),
  })
  const follow = useEffectEvent((next: SsoProvider) => {
    const isUntouched = !form.isDirty()
    form.setInitialValues(valuesOf(next))
    if (isUntouched) form.setValues(valuesOf(next))
  })
  // Another panel or another user may have changed the stored values.
  useEffect(() => follow(provider), [provider])
  const { mutationFn, onSuccess } = changeProvider(provider.id)
  const saving = useFormSubmission(form, {
    mutationFn: (values) => mutationFn(changesOf(values, provider)),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved.data))
      form.setValues(valuesOf(saved.data))
      onWarnings(saved.warnings ?? [])
      notifyDone(`${saved.data.name} saved`)
      await onSuccess(saved)
    },
  })
  return (
    <ProviderForm
      form={form}
      choice={choice}
      owner={owner}
      callbackUrl={callbackUrl}
      provider={provider}
      onSubmit={saving.submit}
      error={saving.error}
      isPending={saving.isPending}
      action="Save"
    />
  )
}
