import escapeHtml from 'escape-html'

interface Button {
  label: string
  url: string
  note: string
}

/** A mail as its author writes it: plain text everywhere, whatever it is shown as. */
export interface MailContent {
  subject: string
  /** What a list of mails shows beside the subject. */
  preheader: string
  greeting: string
  paragraphs: string[]
  /** After the paragraphs. */
  lists?: { title: string; items: string[] }[]
  button?: Button
  /** What else can be done. */
  furtherButton?: Button
  /** What to do if it was not the reader who caused this. */
  warning?: string
  /** Why the reader got it. */
  reason: string
  /** Security warnings carry no links, so that readers do not get used to following them; the footer names the appliance. */
  isWithoutLinks?: true
}

/** Markup from a template literal; whatever is put into it is text, unless it came from here. */
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
type Part = string | Markup | Markup[]
const render = (part: Part): string =>
  typeof part === 'string' ? escapeHtml(part) : Array.isArray(part) ? part.map(render).join('\n') : part.text
const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  new Markup(strings.reduce((text, next, at) => `${text}${render(parts[at - 1] ?? '')}${next}`))

/** Mail programs drop what they do not know, so the light colours stand at the elements and the dark ones override. */
const dark = new Markup(`
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: #0f1216 !important; }
    .card { background: #1d2229 !important; border-color: #3a424b !important; }
    .ink { color: #e4e7eb !important; }
    .quiet { color: #9aa3ad !important; }
    .line { border-color: #3a424b !important; }
    .link { color: #82b7df !important; }
  }`)
const fonts = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

const paragraph = (text: string): Markup =>
  html`<p class="ink" style="margin: 0 0 16px; font-size: 16px; line-height: 24px; color: #1d2229">${text}</p>`
const aside = (text: string): Markup =>
  html`<p class="quiet" style="margin: 0 0 12px; font-size: 14px; line-height: 21px; color: #5a636d">${text}</p>`

const items = (title: string, all: string[]): Markup =>
  html`${paragraph(title)}
<ul class="ink" style="margin: -8px 0 16px; padding: 0 0 0 20px; font-size: 16px; line-height: 24px; color: #1d2229">
${all.map((item) => html`<li>${item}</li>`)}
</ul>`

const action = ({ label, url, note }: Button): Markup =>
  html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin: 8px 0 20px"><tr>
<td style="border-radius: 6px; background: #1f6aa5"><a href="${url}" style="display: inline-block; padding: 12px 24px; font-size: 16px; line-height: 20px; font-weight: 600; color: #ffffff; text-decoration: none; border-radius: 6px">${label}</a></td>
</tr></table>
${aside(note)}
${aside('If the button does not work, copy this address into your browser:')}
<p style="margin: 0 0 16px; font-size: 14px; line-height: 21px; word-break: break-all"><a class="link" href="${url}" style="color: #1f6aa5">${url}</a></p>`

const hostOf = (home: string): string => home.replace(/^https?:\/\//, '')

export function asHtml(content: MailContent, home: string): string {
  const { subject, preheader, greeting, paragraphs, lists = [], button, furtherButton } = content
  const { warning, reason, isWithoutLinks } = content
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${dark}
</style>
</head>
<body class="page" style="margin: 0; padding: 0; background: #f3f5f7; ${fonts}">
<div style="display: none; max-height: 0; overflow: hidden; opacity: 0">${preheader}</div>
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background: #f3f5f7"><tr><td align="center" style="padding: 32px 16px; ${fonts}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width: 560px">
<tr><td class="ink" style="padding: 0 4px 16px; font-size: 18px; line-height: 24px; font-weight: 700; color: #123f60; text-align: left">Homeport</td></tr>
<tr><td class="card" style="padding: 32px 28px 20px; background: #ffffff; border: 1px solid #dfe3e8; border-radius: 8px; text-align: left">
<h1 class="ink" style="margin: 0 0 20px; font-size: 22px; line-height: 28px; font-weight: 700; color: #1d2229">${subject}</h1>
${paragraph(greeting)}
${paragraphs.map(paragraph)}
${lists.map((list) => items(list.title, list.items))}
${button ? action(button) : ''}
${furtherButton ? action(furtherButton) : ''}
${warning ? html`<div class="line" style="margin: 20px 0 0; padding: 16px 0 0; border-top: 1px solid #dfe3e8">${aside(warning)}</div>` : ''}
</td></tr>
<tr><td style="padding: 16px 4px 0; text-align: left">
${aside(reason)}
<p class="quiet" style="margin: 0; font-size: 14px; line-height: 21px; color: #5a636d">Homeport at ${isWithoutLinks ? hostOf(home) : html`<a class="link" href="${home}" style="color: #1f6aa5">${home}</a>`}</p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`.text
}

export function asText(content: MailContent, home: string): string {
  const { greeting, paragraphs, lists = [], button, furtherButton, warning, reason, isWithoutLinks } = content
  const blocks = [
    greeting,
    ...paragraphs,
    ...lists.flatMap((list) => [list.title, list.items.map((item) => `- ${item}`).join('\n')]),
    ...[button, furtherButton].flatMap((each) => (each ? [`${each.label}:\n${each.url}`, each.note] : [])),
    ...(warning ? [warning] : []),
    `-- \n${reason}\nHomeport at ${isWithoutLinks ? hostOf(home) : home}`,
  ]
  return `${blocks.join('\n\n')}\n`
}
