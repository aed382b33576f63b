import type { UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { fieldErrorsOf } from './error-messages.ts'
import { focusFirstError } from './focus-first-error.ts'
import { useUnsavedChanges } from './unsaved-changes.ts'

interface SubmissionOptions<Values, Saved> {
  mutationFn: (values: Values) => Promise<Saved>
  onSuccess: (saved: Saved) => unknown
}

export interface Submission {
  submit: (event: FormEvent<HTMLFormElement>) => void
  isPending: boolean
  /** Errors that no field shows. */
  error: Error | null
}

/** Submits a form. Errors of the server are shown at their fields, and above the form if they have none. */
export function useFormSubmission<Values extends object, Saved>(
  form: UseFormReturnType<Values>,
  saving: SubmissionOptions<Values, Saved>,
): Submission & { discard: () => void } {
  useUnsavedChanges(form.isDirty())
  const { mutate, reset, isPending, error } = useMutation({
    ...saving,
    onError: (refusal) => form.setErrors(fieldErrorsOf(refusal)),
  })
  const shownFields = Object.keys(fieldErrorsOf(error))
  const isShownByFields = shownFields.length > 0 && shownFields.every((field) => field in form.values)
  const submit = form.onSubmit(
    (values) => mutate(values),
    (errors) => focusFirstError(form, errors),
  )
  /** Goes back to what is saved. */
  const discard = () => {
    form.reset()
    reset()
  }
  return { submit, discard, isPending, error: isShownByFields ? null : error }
}
