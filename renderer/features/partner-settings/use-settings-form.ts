import { type FormRulesRecord, type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { changeOwnPartner, type OwnPartnerChange } from '../../data/partner.ts'
import { changedValues } from '../../lib/changed-values.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'

interface Options<Values> {
  partner: Partner
  valuesOf: (partner: Partner) => Values
  validate?: FormRulesRecord<Values>
  /** Maps changed values to the request. */
  changeOf: (changes: Partial<Values>, values: Values) => OwnPartnerChange
  /** Shown when it is saved. */
  done: string
}

export interface SettingsForm<Values> {
  form: UseFormReturnType<Values>
  submit: (event: FormEvent<HTMLFormElement>) => void
  discard: () => void
  isPending: boolean
  error: Error | null
}

/** A form of the partner's settings that sends only what was changed. */
export function useSettingsForm<Values extends Record<string, unknown>>(
  options: Options<Values>,
): SettingsForm<Values> {
  const { partner, valuesOf, validate, changeOf, done } = options
  const form = useForm<Values>({ initialValues: valuesOf(partner), ...(validate && { validate }) })
  useUnsavedChanges(form.isDirty())
  const save = useMutation({
    mutationFn: (values: Values) =>
      changeOwnPartner.mutationFn(changeOf(changedValues(values, valuesOf(partner)), values)),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone(done)
      await changeOwnPartner.onSuccess(saved)
    },
    onError: (error) => form.setErrors(withoutPrefix(fieldErrorsOf(error))),
  })
  const submit = form.onSubmit((values) => save.mutate(values))
  const discard = () => {
    form.reset()
    save.reset()
  }
  return { form, submit, discard, isPending: save.isPending, error: save.error }
}

const withoutPrefix = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([field, message]) => [field.replace(/^settings\./, ''), message]))
