import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { addProvider, presetsQuery, type SsoOwner } from '../../data/sso-providers.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PresetChoice } from './preset-choice.tsx'
import { type PresetOption, presetOptions } from './presets.ts'
import { ProviderForm } from './provider-form.tsx'
import { bodyOf, newValues, templateOf, validationRules } from './provider-values.ts'
import { ProvidersLink } from './providers-link.tsx'
import { providerPage, useSsoOwner } from './sso-owner.ts'

export function NewProviderPage() {
  const owner = useSsoOwner()
  const presets = useQuery(presetsQuery)
  const { preset } = useSearch({ strict: false })
  const navigate = useNavigate()
  const choose = (id: string | undefined) => navigate({ to: '.', search: { preset: id } })
  return (
    <Loaded of={presets}>
      {({ data, callbackUrl }) => {
        const choices = presetOptions(data)
        const choice = choices.find(({ id }) => id === preset)
        return (
          <>
            <PageHeader
              title={choice ? `Add ${choice.id === 'other' ? 'an identity provider' : choice.guide.name}` : title}
              before={<ProvidersLink owner={owner} />}
              about={about(choice)}
            />
            {choice ? (
              <NewProvider
                key={choice.id}
                choice={choice}
                owner={owner}
                callbackUrl={callbackUrl}
                onBack={() => choose(undefined)}
              />
            ) : (
              <PresetChoice choices={choices} onChoose={choose} />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

const title = 'Add an identity provider'

function about(choice: PresetOption | undefined): string | null {
  if (!choice) return 'Choose your identity provider'
  if (choice.type === 'saml') return null
  return 'Saved as off. Nothing changes for anyone until you turn it on.'
}

interface Props {
  choice: PresetOption
  owner: SsoOwner
  callbackUrl: string
  onBack: () => void
}

function NewProvider({ choice, owner, callbackUrl, onBack }: Props) {
  const navigate = useNavigate()
  const [isWhole, setWhole] = useState(false)
  const template = isWhole ? null : templateOf(choice.preset)
  const form = useForm({
    initialValues: newValues(choice),
    validate: (values) => validationRules(values, choice.type, template),
  })
  const { mutationFn, onSuccess } = addProvider(owner)
  const saving = useFormSubmission(form, {
    mutationFn: (values) => mutationFn(bodyOf(values, choice, template)),
    onSuccess: async (saved) => {
      await onSuccess(saved)
      await navigate({ ...providerPage(owner, saved.data.id), ignoreBlocker: true })
    },
  })
  return (
    <div style={{ maxWidth: 720 }}>
      <ProviderForm
        form={form}
        choice={choice}
        owner={owner}
        callbackUrl={callbackUrl}
        own={template ? { template, onWhole: () => setWhole(true) } : undefined}
        onSubmit={saving.submit}
        error={saving.error}
        isPending={saving.isPending}
        action="Save"
      >
        <Button variant="default" onClick={closeUnlessUnsaved(onBack)}>
          Choose another provider
        </Button>
      </ProviderForm>
    </div>
  )
}
