/** The content of the demo site: a bicycle workshop's blog in English and German. Dates are in the past. */
export const demoSite = {
  name: 'Demo',
  domain: 'example.com',
  plan: 'growth',
  defaultLanguage: 'en',
  trainingOptIn: true,
}

const firstBike = `
<p>Most people who walk into the workshop to ask about a first road bike have read too much already. They can name four
kinds of carbon and do not know which size they ride. So we begin with the two things that decide whether a bike is used
or hung on a wall: <strong>fit</strong> and <strong>gears</strong>.</p>
<h2>Fit before frame</h2>
<p>Stand over the top tube, then sit and ride around the block. Your knees should bend slightly at the bottom of the
stroke, and you should be able to look ahead without lifting your chin. If your hands are numb after ten minutes, no
lighter wheel will help you.</p>
<h2>Gears for the hill you have</h2>
<p>A compact crankset with an 11–34 cassette climbs nearly everything that is paved. Nobody has ever come back to us and
asked for a harder gear.</p>
<h2>Where to save</h2>
<p>Save on wheels, bottle cages and the clothes of the season. Do not save on brakes, tyres or saddle: these three are
what you feel on every ride.</p>`

const cleanChain = `
<p>A dirty chain costs you two or three watts and, over a year, a cassette. Cleaning it takes ten minutes and needs no
special tool.</p>
<ol>
<li>Shift to the smallest sprocket, so that the chain is easy to reach.</li>
<li>Wipe it with a rag and a little degreaser while you turn the cranks backwards. Go on until the rag stays grey rather
than black.</li>
<li>Let it dry. Oil on a wet chain only floats on the water.</li>
<li>Put one drop of oil on each roller, turn the cranks twenty times, then wipe off everything you can see.</li>
</ol>
<p>What is left inside the rollers does the work. What is left outside collects sand.</p>
<h2>How often?</h2>
<p>Every two weeks in summer, after every wet ride in winter. If you can hear the chain, you are late.</p>`

const winter = `
<p>Cold is seldom the problem. Wet is, and so is the dark. After fifteen winters of commuting these are the things we
would not do without.</p>
<h2>Lights you can be seen by</h2>
<p>Two at the back: one that blinks and one that does not. Drivers notice the first and judge their distance by the
second.</p>
<h2>Full mudguards</h2>
<p>Not for you but for the person behind you, and for your chain. A short clip-on guard keeps your back dry and leaves
your feet to the puddles.</p>
<h2>Tyres</h2>
<p>A wider tyre at lower pressure holds better on wet leaves than any tread. On ice, only studs help, and they help a
lot.</p>`

const firstMonth = `
<p>In the first week you will be late once and sweaty twice. In the fourth you will know which traffic light is slow,
where the road was mended badly and who else rides at ten to eight.</p>
<p>Three habits made the difference for those of us who stayed with it:</p>
<ul>
<li>Pack the bag in the evening. Mornings are for coffee.</li>
<li>Keep a shirt, a towel and a spare tube at work.</li>
<li>Ride the quiet way, even if it is longer. Two calm kilometres feel shorter than one loud one.</li>
</ul>`

const tubeless = `
<p>A tubeless tyre seals a small hole by itself: the liquid inside sets as soon as it meets air. That is the whole
promise, and for punctures of up to about three millimetres it is kept.</p>
<h2>What it costs</h2>
<p>You need rims and tyres made for it, new sealant twice a year and, once in a while, an afternoon and a compressor. On
the road you still carry a tube, for the cut that nothing seals.</p>
<h2>Our advice</h2>
<p>If you have had more than two flats this year, change. If you cannot remember your last one, spend the money on a
better tyre.</p>`

const repairCafe = `
<p>Notes from Saturday, still to be put in order. Nineteen bikes, fourteen of them ridden home. Most frequent fault:
brake pads worn down to the metal. Strangest one: a wasps' nest in a seat tube.</p>`

const ketteReinigen = `
<p>Eine schmutzige Kette kostet zwei bis drei Watt und im Lauf eines Jahres eine Kassette. Sie zu reinigen dauert zehn
Minuten und braucht kein besonderes Werkzeug.</p>
<ol>
<li>Auf das kleinste Ritzel schalten, dann ist die Kette gut zu erreichen.</li>
<li>Mit einem Lappen und etwas Entfetter abwischen und dabei rückwärts kurbeln, bis der Lappen grau bleibt statt
schwarz.</li>
<li>Trocknen lassen. Öl auf einer nassen Kette schwimmt nur auf dem Wasser.</li>
<li>Einen Tropfen Öl auf jede Rolle, zwanzigmal kurbeln und alles abwischen, was zu sehen ist.</li>
</ol>
<p>Was in den Rollen bleibt, tut die Arbeit. Was außen bleibt, sammelt Sand.</p>
<h2>Wie oft?</h2>
<p>Im Sommer alle zwei Wochen, im Winter nach jeder nassen Fahrt. Wer die Kette hört, ist spät dran.</p>`

const durchDenWinter = `
<p>Kälte ist selten das Problem. Nässe schon, und die Dunkelheit. Nach fünfzehn Wintern auf dem Weg zur Arbeit möchten
wir auf diese Dinge nicht mehr verzichten.</p>
<h2>Licht, das gesehen wird</h2>
<p>Zwei Rücklichter: eines, das blinkt, und eines, das leuchtet. Das erste fällt auf, am zweiten schätzt man den
Abstand.</p>
<h2>Lange Schutzbleche</h2>
<p>Nicht für einen selbst, sondern für den Menschen dahinter, und für die Kette.</p>
<h2>Reifen</h2>
<p>Ein breiter Reifen mit wenig Druck hält auf nassem Laub besser als jedes Profil. Auf Eis helfen nur Spikes, und die
helfen sehr.</p>`

/** Sources come before their translations. */
export const demoPosts = [
  {
    slug: 'choosing-a-first-road-bike',
    title: 'Choosing a first road bike',
    contentHtml: firstBike,
    status: 'published',
    publishedAt: '2026-03-05T08:00:00.000Z',
    language: 'en',
    trustScore: 88,
    assuranceLabel: 'Checked by an editor',
    reviewStatus: 'approved',
    provenance: {
      sources: [
        {
          url: 'https://example.com/fit-notes',
          title: 'Notes from two hundred bike fittings',
          publisher: 'Demo workshop',
          retrievedAt: '2026-03-01T09:30:00.000Z',
          claims: [
            'Numb hands come from reach, not from handlebar tape',
            'Riders ask for easier gears, never harder',
          ],
        },
      ],
      generatedBy: 'Workshop staff',
    },
  },
  {
    slug: 'how-to-clean-a-chain',
    title: 'How to clean a chain in ten minutes',
    contentHtml: cleanChain,
    status: 'published',
    publishedAt: '2026-04-18T07:30:00.000Z',
    language: 'en',
    trustScore: 92,
    reviewStatus: 'approved',
    seo: {
      metaDescription:
        'Clean and oil a bicycle chain in ten minutes with a rag, degreaser and one drop a roller.',
      ogTitle: 'A clean chain in ten minutes',
      ogDescription: 'Four steps, no special tool, and an answer to how often.',
      keywords: ['bicycle', 'chain', 'maintenance'],
    },
    authors: [{ name: 'Mara Lindqvist', url: 'https://example.com/mara' }],
    image: { url: 'https://example.com/chain.jpg', alt: 'A clean chain', width: 1200, height: 800 },
    categories: ['Maintenance'],
    tags: ['chain', 'cleaning'],
    modifiedAt: '2026-05-02T16:45:00.000Z',
    faqJsonLd: {
      '@context': 'https://schema.org',
      '@type': 'FAQPage',
      mainEntity: [
        {
          '@type': 'Question',
          name: 'How often should a chain be cleaned?',
          acceptedAnswer: {
            '@type': 'Answer',
            text: 'Every two weeks in summer and after every wet ride in winter.',
          },
        },
        {
          '@type': 'Question',
          name: 'Does the chain have to come off?',
          acceptedAnswer: { '@type': 'Answer', text: 'No. A rag and some degreaser are enough.' },
        },
      ],
    },
  },
  {
    slug: 'riding-through-winter',
    title: 'Riding through winter',
    contentHtml: winter,
    status: 'published',
    publishedAt: '2026-10-09T06:45:00.000Z',
    language: 'en',
    trustScore: 76,
    reviewStatus: 'approved',
  },
  {
    slug: 'the-first-month-of-commuting',
    title: 'The first month of commuting',
    contentHtml: firstMonth,
    excerpt: 'Late once, sweaty twice, and then it becomes a habit.',
    status: 'published',
    publishedAt: '2026-10-30T07:00:00.000Z',
    language: 'en',
    aiGenerated: true,
    trustScore: 71,
    assuranceLabel: 'Written with AI, checked by an editor',
  },
  {
    slug: 'kette-reinigen',
    title: 'Die Kette in zehn Minuten reinigen',
    contentHtml: ketteReinigen,
    status: 'published',
    publishedAt: '2026-04-20T07:30:00.000Z',
    language: 'de',
    sourceSlug: 'how-to-clean-a-chain',
    trustScore: 90,
  },
  {
    slug: 'durch-den-winter',
    title: 'Mit dem Rad durch den Winter',
    contentHtml: durchDenWinter,
    status: 'published',
    publishedAt: '2026-10-12T06:45:00.000Z',
    language: 'de',
    sourceSlug: 'riding-through-winter',
    trustScore: 74,
  },
  {
    slug: 'are-tubeless-tyres-worth-it',
    title: 'Are tubeless tyres worth it?',
    contentHtml: tubeless,
    status: 'draft',
    language: 'en',
    trustScore: 91,
    assuranceLabel: 'Ready for review',
    reviewStatus: 'pending',
  },
  {
    slug: 'notes-from-the-repair-cafe',
    title: 'Notes from the repair café',
    contentHtml: repairCafe,
    status: 'draft',
    language: 'en',
  },
]

export const demoGuides = [
  {
    slug: 'adjusting-rim-brakes',
    title: 'Adjusting rim brakes',
    contentHtml: `
<p>Loosen the cable bolt, press both pads against the rim by hand and let go by two millimetres on each side. Tighten the
bolt. The pads should meet the rim flat, a little toed in at the front, and never touch the tyre.</p>
<p>Pull the lever ten times. If it now comes closer to the bar, the cable has settled: take up the slack with the barrel
adjuster.</p>`,
    status: 'published',
    publishedAt: '2026-05-02T08:00:00.000Z',
  },
  {
    slug: 'the-right-tyre-pressure',
    title: 'The right tyre pressure',
    contentHtml: `
<p>Begin with the weight of rider and bike, divide by the width of the tyre, and then stop calculating. Too hard, and the
bike skips over rough ground; too soft, and it wallows in corners.</p>
<p>For 75 kg in all: about 6 bar at 25 mm, 4.5 bar at 32 mm, 3 bar at 42 mm. In the wet take off a tenth.</p>`,
    excerpt: 'Three numbers to begin with, and how to feel your way from there.',
    status: 'published',
    publishedAt: '2026-06-11T08:00:00.000Z',
  },
  {
    slug: 'packing-for-a-weekend-tour',
    title: 'Packing for a weekend tour',
    contentHtml:
      '<p>Heavy things low and in front of the axle, the rain jacket on top. The list is still too long.</p>',
    status: 'draft',
  },
]

export const demoTrainingRows = [
  {
    prompt: 'How do I clean a bicycle chain?',
    completion:
      'Wipe it with degreaser until the rag stays grey, let it dry, put one drop of oil on each roller, wipe again.',
    language: 'en',
    postSlug: 'how-to-clean-a-chain',
    qualityBand: 'premium',
  },
  {
    prompt: 'Wie oft muss ich meine Fahrradkette reinigen?',
    completion: 'Im Sommer alle zwei Wochen, im Winter nach jeder nassen Fahrt.',
    language: 'de',
    postSlug: 'kette-reinigen',
    qualityBand: 'premium',
  },
  {
    prompt: 'Which rear light should I buy for winter?',
    completion:
      'Two: one that blinks, to be noticed, and one that shines, so that drivers can judge their distance.',
    language: 'en',
    postSlug: 'riding-through-winter',
    qualityBand: 'standard',
  },
  {
    prompt: 'What tyre pressure do I need at 75 kg on 32 mm tyres?',
    completion: 'About 4.5 bar, a tenth less in the wet.',
    language: 'en',
  },
  {
    prompt: 'Write down what the customer with the wasps said.',
    completion: 'Kept out of the export: nobody asked him.',
    language: 'en',
    optIn: false,
  },
]
