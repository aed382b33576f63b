import { TextInput } from '@mantine/core'
import type { ChangeEvent, ReactNode } from 'react'
import { slugOf } from './slug.ts'

interface Props {
  form: {
    values: { name: string }
    getInputProps: (field: 'name' | 'slug') => { onChange: (event: ChangeEvent<HTMLInputElement>) => void }
    clearFieldError: (field: 'slug') => void
  }
  /** Says what the slug is used for. */
  about: string
  /** Shown below the name. */
  hint?: ReactNode
  isFirst?: boolean | undefined
  /** Placeholder of the slug, if it is not simply derived from the name. */
  suggestion?: string
  readOnly?: boolean
}

/** Name and slug of an organization or a partner. The slug follows the name until the user types one. */
export function NameFields({ form, about, hint, isFirst, suggestion, readOnly = false }: Props) {
  const name = form.getInputProps('name')
  return (
    <>
      <TextInput
        label="Name"
        data-autofocus={isFirst || undefined}
        maxLength={255}
        readOnly={readOnly}
        description={hint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        {...name}
        onChange={(event) => {
          name.onChange(event)
          // The error may have been about the slug derived from the name.
          form.clearFieldError('slug')
        }}
      />
      <TextInput
        label="Short name"
        description={about}
        placeholder={suggestion ?? slugOf(form.values.name)}
        maxLength={100}
        readOnly={readOnly}
        {...form.getInputProps('slug')}
      />
    </>
  )
}
