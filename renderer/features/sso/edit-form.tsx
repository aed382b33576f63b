import { useForm } from '@mantine/form'
import { useEffect, useEffectEvent } from 'react'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { changeProvider, type Warnings } from '../../data/sso-providers.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useSaving } from '../../lib/use-form-submission.ts'
import type { Choice } from './presets.ts'
import { ProviderForm } from './provider-form.tsx'
import { changesOf, type ProviderValues, troubleWith, valuesOf } from './provider-values.ts'
import { useOwner } from './sso-owner.ts'

interface Props {
  provider: SsoProvider
  choice: Choice
  callbackUrl: string
  onWarnings: (warnings: Warnings) => void
}

export function EditForm({ provider, choice, callbackUrl, onWarnings }: Props) {
  const owner = useOwner()
  const form = useForm<ProviderValues>({
    initialValues: valuesOf(provider),
    validate: (values) => troubleWith(values, provider.type, null),
  })
  const follow = useEffectEvent((next: SsoProvider) => {
    const isUntouched = !form.isDirty()
    form.setInitialValues(valuesOf(next))
    if (isUntouched) form.setValues(valuesOf(next))
  })
  // Another panel of the page, or somebody else, may have changed what the form began with.
  useEffect(() => follow(provider), [provider])
  const { mutationFn, onSuccess } = changeProvider(provider.id)
  const saving = useSaving(form, {
    mutationFn: (values) => mutationFn(changesOf(values, provider)),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved.data))
      form.setValues(valuesOf(saved.data))
      onWarnings(saved.warnings ?? [])
      notifyDone(`${saved.data.name} is saved`)
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
