type Tone = 'neutral' | 'success' | 'warning' | 'danger'

export function Badge({ tone = 'neutral', text }: { tone?: Tone; text: string }) {
  return <span class={`badge ${tone}`}>{text}</span>
}
