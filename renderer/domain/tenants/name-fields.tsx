import { TextInput } from '@mantine/core'
import type { ChangeEvent, ReactNode } from 'react'
import { slugOf } from './slug.ts'

interface Props {
  form: {
    values: { name: string }
    getInputProps: (field: 'name' | 'slug') => { onChange: (event: ChangeEvent<HTMLInputElement>) => void }
    clearFieldError: (field: 'slug') => void
  }
  /** What a short name is for. */
  about: string
  /** What is to be known of the name. */
  hint?: ReactNode
  isFirst?: boolean | undefined
  /** The short name where none is written, when it is not just made from the name. */
  suggestion?: string
  readOnly?: boolean
}

/** What an organization or a company is called; the short name follows the name until someone writes their own. */
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
          // It may have been about what follows from the name.
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
